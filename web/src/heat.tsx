// A heatmap: how many there were at each time in each range of values, the darker the more.
import type uPlot from "uplot";
import type { Chart, Charts, Heat } from "./data";
import { maxRows } from "./chart";
import { colour } from "./theme";
import { clock, place, timeAt } from "./time";
import { quantity, seconds } from "./unit";

// Cell is one that was drawn: the number of its time and row, its count, how strong it is, and where
// it is on the canvas: left, top, right, bottom.
export interface Cell { time: number; row: number; count: number; alpha: number; box: [number, number, number, number] }

const largest = (data: Heat): number => data.cells.reduce((n, c) => Math.max(n, c[2]), 1);

// strength is how strong a cell is, by the logarithm of its count: a few slow ones are seen
// beside many fast ones.
const strength = (count: number, most: number): number => 0.12 + (0.78 * Math.log1p(count)) / Math.log1p(most);

// until is when a column ends, in milliseconds: where the next one begins, if that is about when it
// should.
function until(at: number[], time: number, step: number): number {
  const next = at[time + 1];
  return next !== undefined && next - at[time] < 1.5 * step ? next : at[time] + step;
}

// heat draws a heatmap below the lines of a chart, and says what it drew.
export function heat(u: uPlot, charts: Charts, data: Heat): Cell[] {
  const { ctx, bbox } = u, at = charts.times[data.times], most = largest(data), cells: Cell[] = [];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colour("heat");
  for (const [time, row, count] of data.cells) {
    const [low, high] = data.rows[row], edge = (ms: number): number => u.valToPos(place(charts, charts.from + ms / 1000), "x", true);
    const left = edge(at[time]), right = Math.max(edge(until(at, time, data.step)), left + 2);
    const top = u.valToPos(high, "y", true), bottom = Math.max(u.valToPos(Math.max(low, 1e-9), "y", true), top + 1);
    const alpha = ctx.globalAlpha = strength(count, most);
    ctx.fillRect(left, top, right - left, bottom - top);
    const from = Math.max(left, bbox.left), to = Math.min(right, bbox.left + bbox.width); // what is seen of it
    if (to > from) cells.push({ time, row, count, alpha, box: [from, top, to, bottom] });
  }
  ctx.restore();
  return cells;
}

const range = (chart: Chart, [low, high]: [number, number]): string => `${quantity(low, chart.unit)} to ${quantity(high, chart.unit)}`;

const answers = (n: number): string => `${n.toLocaleString("en")} ${n === 1 ? "answer" : "answers"}`;

// column is the number of the column at a place of the axis; -1: there is none.
function column(charts: Charts, data: Heat, x: number): number {
  const at = charts.times[data.times], ms = (timeAt(charts, x) - charts.from) * 1000;
  return at.findIndex((t, i) => ms >= t && ms < until(at, i, data.step));
}

// cellAt says what the cell below the pointer counts.
export function cellAt(u: uPlot, charts: Charts, chart: Chart, data: Heat): string {
  const { left, top } = u.cursor;
  if (left == null || top == null || left < 0 || top < 0) return "";
  const time = column(charts, data, u.posToVal(left, "x")), y = u.posToVal(top, "y");
  const row = data.rows.findIndex(([low, high]) => y >= low && y < high);
  if (time < 0 || row < 0) return "";
  const count = data.cells.find(c => c[0] === time && c[1] === row)?.[2] ?? 0;
  return `${clock(charts, charts.from + charts.times[data.times][time] / 1000)}: ${answers(count)} took ${range(chart, data.rows[row])}`;
}

// inWords tells the column at a place of the axis, to those who cannot see it.
export function inWords(charts: Charts, chart: Chart, x: number): string {
  const data = chart.heat!, time = column(charts, data, x);
  const list = data.cells.filter(c => c[0] === time).map(([, row, count]) => `${count.toLocaleString("en")} of ${range(chart, data.rows[row])}`);
  return list.length > 0 ? `; answers: ${list.join(", ")}` : "";
}

// HeatKey says how dark which count is, and what is below the pointer.
export function HeatKey({ chart, heat: data, under }: { chart: Chart; heat: Heat; under: string }) {
  const most = largest(data), middle = Math.round(Math.sqrt(most));
  return (
    <p class="heatkey quiet">
      <span>Answers in {seconds(data.step / 1000)}, by {chart.name.replace(/^.*: /, "")}:</span>
      {[...new Set([1, middle, most])].map(n => <span class="key"><i class="heat" style={{ opacity: strength(n, most) }} />{n.toLocaleString("en")}</span>)}
      <span>{under}</span>
    </p>
  );
}

// HeatNumbers is the heatmap as a table: a line for each time, a column for each range.
export function HeatNumbers({ charts, chart, heat: data }: { charts: Charts; chart: Chart; heat: Heat }) {
  const at = charts.times[data.times], counts = new Map(data.cells.map(([time, row, count]) => [time * data.rows.length + row, count]));
  return (
    <>
      <p>Answers by {chart.name.replace(/^.*: /, "")}:</p>
      <div class="scroll numbers heatmap" tabIndex={0} role="region" aria-label={`Heatmap of ${chart.name}`}>
        <table>
          <thead><tr><th scope="col">{charts.zone}</th>{data.rows.map(r => <th class="number" scope="col">{range(chart, r)}</th>)}</tr></thead>
          <tbody>{at.slice(0, maxRows).map((t, i) => (
            <tr><td>{clock(charts, charts.from + t / 1000)}</td>{data.rows.map((_, row) => <td class="number">{counts.get(i * data.rows.length + row)?.toLocaleString("en") ?? ""}</td>)}</tr>))}</tbody>
        </table>
      </div>
    </>
  );
}
