import uPlot from "uplot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Band, Chart as Data, Charts, Cite } from "./data";
import { cellAt, heat, HeatKey, HeatNumbers, inWords, type Cell } from "./heat";
import { clock, day, place, shifted, timeAt } from "./time";
import { colour, useTheme } from "./theme";
import { quantity, seconds } from "./unit";
import { onWidth } from "./width";

export const height = 190;

// Drawn is what a plot draws: the number of the chart, its lines, the times that are marked, and the
// limit, if it is within the plot.
interface Drawn { chart: number; name: string; data: uPlot.AlignedData; bands: [number, number][]; limit: number | null; cells: Cell[] }
const plots = new Map<uPlot, Drawn>();

// aligned puts the lines of a chart below one list of times, in seconds. Where a line has no
// point at a time it goes on; where nothing was read for long it is broken. Times are places
// on the axis.
export function aligned(charts: Charts, chart: Data): uPlot.AlignedData {
  const tables = chart.lines.map((line): uPlot.AlignedData => {
    const at = charts.times[line.times], xs: number[] = [], ys: (number | null)[] = [];
    const steps = at.slice(1).map((t, i) => t - at[i]).sort((a, b) => a - b), usual = steps[steps.length >> 1] ?? 0;
    at.forEach((t, i) => {
      if (i > 0 && t - at[i - 1] > 6 * Math.max(usual, 1000)) {
        xs.push(place(charts, charts.from + (at[i - 1] + 1) / 1000));
        ys.push(null);
      }
      xs.push(place(charts, charts.from + t / 1000));
      ys.push(line.values[i]);
    });
    return [xs, ys];
  });
  return tables.length === 1 ? tables[0] : uPlot.join(tables);
}

export const lineColours = ["line1", "line2", "line3", "line4", "line5", "line6", "line7", "line8"];
export const dashes = [[], [8, 4], [3, 3], [10, 3, 3, 3], [], [8, 4], [3, 3], [10, 3, 3, 3]];

interface Props { charts: Charts; index: number; cite?: Cite; bands: Band[] }

// Chart draws one chart, with a table of its numbers for those who cannot see it.
export function Chart({ charts, index, cite, bands }: Props) {
  const chart = charts.charts[index], box = useRef<HTMLDivElement>(null), plot = useRef<uPlot | null>(null);
  const [told, tell] = useState(""), [open, setOpen] = useState(false), [under, point] = useState("");
  const theme = useTheme(), data = useMemo(() => aligned(charts, chart), [chart]);
  const limit = cite?.limit;
  useEffect(() => {
    const parent = box.current!;
    const told: Drawn = { chart: index, name: chart.name, data, bands: [], limit: null, cells: [] };
    const made = plot.current = new uPlot(options(charts, chart, told, limit, bands, parent.clientWidth, point), data, parent);
    plots.set(made, told);
    const end = onWidth(parent, width => {
      if (width > 0 && width !== made.width) made.setSize({ width, height });
    });
    return () => { end(); made.destroy(); plots.delete(made); };
  }, [theme, chart]);
  const key = (e: KeyboardEvent): void => {
    const u = plot.current, xs = data[0];
    if (!u || xs.length === 0) return;
    const at = u.cursor.idx ?? (e.key === "ArrowLeft" ? xs.length : -1);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: xs.length - 1 }[e.key];
    if (e.key === "Escape") u.setScale("x", { min: xs[0], max: xs[xs.length - 1] });
    else if (to === undefined) return;
    else {
      const i = Math.min(xs.length - 1, Math.max(0, to));
      u.setCursor({ left: u.valToPos(xs[i], "x"), top: u.bbox.height / devicePixelRatio / 2 });
      tell(`${clock(charts, timeAt(charts, xs[i]))}: ` + chart.lines.map((l, n) => `${l.name} ${quantity(data[n + 1][i], chart.unit)}`).join(", ") + (chart.heat ? inWords(charts, chart, xs[i]) : ""));
    }
    e.preventDefault();
  };
  const highest = Math.max(...chart.lines.flatMap(l => l.values));
  return (
    <figure class="chart" data-chart={index}>
      <figcaption><b>{chart.name}</b> <span class="quiet">{about(chart)}</span></figcaption>
      <div class="plot" ref={box} tabIndex={0} role="img" onKeyDown={key}
        aria-label={`${chart.name}, ${chart.lines.map(l => l.name).join(", ")}; highest ${quantity(highest, chart.unit)}. Arrow keys move through the points, Escape shows all of the time.`} />
      <span class="hidden" role="status">{told}</span>
      {chart.heat && <HeatKey chart={chart} heat={chart.heat} under={under} />}
      {limit != null && hidden(limit, highest) && <p class="quiet">The limit, {quantity(limit, chart.unit)}, is far above these values.</p>}
      <details class="numbers" onToggle={e => setOpen(e.currentTarget.open)}>
        <summary>Numbers{chart.help ? " and meaning" : ""}</summary>
        {open && <Numbers charts={charts} chart={chart} data={data} />}
      </details>
    </figure>
  );
}

// hidden says that a limit is so high that the chart leaves it out: the lines would be flat.
const hidden = (limit: number, highest: number): boolean => limit > 5 * highest && highest > 0;

const about = (chart: Data): string => {
  const unit = chart.unit === "share" ? "" : chart.unit;
  return [chart.metric, unit, chart.left_out ? `the highest ${chart.lines.length} of ${chart.lines.length + chart.left_out}` : ""].filter(Boolean).join(" · ");
};

export const maxRows = 2000;

function Numbers({ charts, chart, data }: { charts: Charts; chart: Data; data: uPlot.AlignedData }) {
  const xs = data[0] as number[];
  return (
    <>
      {chart.help && <p>{chart.help}. Source: {chart.source}.</p>}
      {chart.lines.some(l => l.spared) && <p>Of many points the lowest and the highest of each stretch are shown.</p>}
      <div class="scroll numbers" tabIndex={0} role="region" aria-label={`Numbers of ${chart.name}`}>
        <table>
          <thead><tr><th scope="col">{charts.zone}</th>{chart.lines.map(l => <th class="number" scope="col">{l.name}</th>)}</tr></thead>
          <tbody>{xs.slice(0, maxRows).map((t, i) => (
            <tr><td>{clock(charts, timeAt(charts, t))}</td>{chart.lines.map((_, n) => <td class="number">{quantity(data[n + 1][i], chart.unit)}</td>)}</tr>))}</tbody>
        </table>
      </div>
      {chart.heat && <HeatNumbers charts={charts} chart={chart} heat={chart.heat} />}
    </>
  );
}

function options(charts: Charts, chart: Data, told: Drawn, limit: number | undefined, bands: Band[], width: number, point: (words: string) => void): uPlot.Options {
  const long = charts.to - charts.from > 86400, few = told.data[0].length < 60, first = place(charts, charts.from), last = place(charts, charts.to);
  const cuts = charts.cuts ?? [], years = charts.to - charts.from > 300 * 86400;
  const words = (v: number): string => quantity(v, chart.unit);
  return {
    width: Math.max(width, 240), height,
    padding: [null, years ? 56 : long ? 40 : 28, null, null], // half of the last time
    tzDate: x => uPlot.tzDate(shifted(charts, timeAt(charts, x)), "Etc/UTC"),
    cursor: { sync: { key: "time" }, focus: { prox: 24 }, drag: { x: true, y: false } },
    scales: {
      // All of the time, until a part is chosen: then all points are no longer in it.
      x: { time: true, range: (u, low, high) => (low == null || (low <= u.data[0][0] && high >= u.data[0][u.data[0].length - 1]) ? [first, Math.max(last, first + 1)] : [low, high]) },
      y: chart.heat ? { distr: 3, range: [chart.heat.rows[0][0] || 1e-9, chart.heat.rows[chart.heat.rows.length - 1][1]] } : { range: (_, low, high) => axis(chart, low, high, limit) },
    },
    axes: [
      { stroke: () => colour("dim"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", size: 30,
        values: (_, ticks, __, ___, step) => ticks.map(x => {
          const t = timeAt(charts, x);
          return long && (step >= 3600 || cuts.length > 0) ? `${day(charts, t).slice(years ? 0 : 5)} ${clock(charts, t, step < 60)}` : clock(charts, t, step < 60);
        }), space: years || cuts.length > 0 ? 140 : long ? 90 : 70 },
      { stroke: () => colour("dim"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", size: 76, values: (_, ticks) => ticks.map(v => (v == null ? "" : words(v))),
        ...(chart.unit.startsWith("bytes") ? { incrs: binary } : {}) },
    ],
    series: [
      { value: (_, t) => (t == null ? "–" : clock(charts, timeAt(charts, t))), label: charts.zone },
      ...chart.lines.map((l, i): uPlot.Series => ({
        label: l.name, stroke: () => colour(lineColours[i % lineColours.length]), width: 1.75, dash: dashes[i % dashes.length], spanGaps: false,
        points: { show: few, size: 5, fill: () => colour(lineColours[i % lineColours.length]) }, value: (_, v) => quantity(v, chart.unit),
      })),
    ],
    hooks: {
      drawClear: [u => {
        told.bands = bands.filter(b => drawBand(u, { ...b, from: place(charts, b.from), to: place(charts, b.to) })).map(b => [b.from, b.to]);
        if (chart.heat) told.cells = heat(u, charts, chart.heat);
        cuts.forEach(c => drawMark(u, place(charts, c.from), `${seconds(c.to - c.from)} left out`));
      }],
      ...(chart.heat ? { setCursor: [(u: uPlot) => point(cellAt(u, charts, chart, chart.heat!))] } : {}),
      draw: [u => { told.limit = limit != null && drawLimit(u, limit, `limit ${words(limit)}`) ? limit : null; }],
    },
  };
}

// binary are steps of an axis of bytes.
const binary = Array.from({ length: 50 }, (_, i) => 2 ** i);

// axis begins at 0, and has the limit on it where that is near.
function axis(chart: Data, low: number | null, high: number | null, limit: number | undefined): [number, number] {
  const top = high ?? 0, least = Math.min(0, low ?? 0);
  let most = top;
  if (limit != null && !hidden(limit, top)) most = Math.max(most, limit);
  if (most === 0) most = chart.unit.startsWith("share") ? 0.01 : 1;
  return [least, most * 1.08];
}

function drawBand(u: uPlot, b: Band): boolean {
  const { ctx, bbox } = u, from = Math.max(u.valToPos(b.from, "x", true), bbox.left), to = Math.min(u.valToPos(b.to, "x", true), bbox.left + bbox.width);
  if (to <= from) return false;
  ctx.save();
  ctx.fillStyle = colour(b.style === "alarm" ? "band-alarm" : b.style === "warn" ? "band-warn" : "band");
  ctx.fillRect(from, bbox.top, Math.max(to - from, 2), bbox.height);
  ctx.restore();
  return true;
}

// drawMark marks a place on the axis, as where a time is left out of it.
export function drawMark(u: uPlot, at: number, words: string): void {
  const { ctx, bbox } = u, x = u.valToPos(at, "x", true), scale = devicePixelRatio;
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour("dim");
  ctx.lineWidth = scale;
  ctx.setLineDash([2 * scale, 3 * scale]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  ctx.textAlign = x > bbox.left + bbox.width / 2 ? "right" : "left";
  ctx.fillText(words, x + (ctx.textAlign === "right" ? -4 : 4) * scale, bbox.top + 3 * scale);
  ctx.restore();
}

function drawLimit(u: uPlot, limit: number, words: string): boolean {
  const { ctx, bbox } = u, y = u.valToPos(limit, "y", true);
  if (y < bbox.top || y > bbox.top + bbox.height) return false;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour("alarm");
  ctx.lineWidth = 1.5 * scale;
  ctx.setLineDash([6 * scale, 4 * scale]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${12 * scale}px system-ui, sans-serif`;
  ctx.textAlign = "right";
  ctx.textBaseline = y - bbox.top < 16 * scale ? "top" : "bottom";
  ctx.fillText(words, bbox.left + bbox.width - 4 * scale, y + (ctx.textBaseline === "top" ? 3 : -3) * scale);
  ctx.restore();
  return true;
}

// Paper does not wait for components: charts are drawn again in its colours at once.
addEventListener("beforeprint", () => plots.forEach((_, u) => u.redraw()));

// What charts draw, for tests: numbers, not pixels.
export const drawn = (): Drawn[] => [...plots].map(([u, told]) => ({ ...told, data: u.data }));

// Where heatmaps are drawn, for tests that look at their pixels.
export const heatmaps = (): { canvas: HTMLCanvasElement; cells: Cell[] }[] =>
  [...plots].filter(([, told]) => told.cells.length > 0).map(([u, told]) => ({ canvas: u.ctx.canvas, cells: told.cells }));
