import uPlot from "uplot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Curve as Data } from "./data";
import { dashes, drawMark, lineColours, height } from "./chart";
import { colour, useTheme } from "./theme";
import { quantity } from "./unit";
import { onWidth } from "./width";

const shown = new Map<uPlot, number>();

// table puts all lines below one list of places; a line without a point there has null.
const table = (curve: Data): uPlot.AlignedData =>
  uPlot.join(curve.lines.map((l): uPlot.AlignedData => [l.points.map(p => p[0]), l.points.map(p => p[1])]));

// measured says that a line which is no model has a point at a place.
const measured = (curve: Data, data: uPlot.AlignedData, i: number): boolean => curve.lines.some((l, n) => !l.model && data[n + 1][i] != null);

const words = (curve: Data, x: number): string => curve.places?.[x - 1] ?? x.toLocaleString("en", { maximumFractionDigits: x < 10 ? 2 : 0 });

// place names a place on the axis with what it is of.
const place = (curve: Data, x: number): string => (curve.places ? `${curve.x} of ${words(curve, x)}` : `${words(curve, x)} ${curve.x}`);

// Curves shows what depends on a quantity other than time.
export function Curves({ curves }: { curves: Data[] }) {
  return (
    <section class="block"><h2>Curves</h2>
      <div class="charts">{curves.map((c, i) => <Curve curve={c} index={i} />)}</div>
    </section>
  );
}

function Curve({ curve, index }: { curve: Data; index: number }) {
  const box = useRef<HTMLDivElement>(null), plot = useRef<uPlot | null>(null), [told, tell] = useState("");
  const theme = useTheme(), data = useMemo(() => table(curve), [curve]), xs = data[0] as number[];
  useEffect(() => {
    const parent = box.current!, made = plot.current = new uPlot(options(curve, data, parent.clientWidth), data, parent);
    shown.set(made, index);
    const end = onWidth(parent, width => {
      if (width > 0 && width !== made.width) made.setSize({ width, height });
    });
    return () => { end(); made.destroy(); shown.delete(made); };
  }, [theme, curve]);
  const key = (e: KeyboardEvent): void => {
    const u = plot.current;
    if (!u || xs.length === 0) return;
    const places = xs.map((_, i) => i).filter(i => measured(curve, data, i)), at = u.cursor.idx ?? (e.key === "ArrowLeft" ? xs.length : -1);
    const i = { ArrowLeft: places.filter(p => p < at).pop() ?? places[0], ArrowRight: places.find(p => p > at) ?? places[places.length - 1], Home: places[0], End: places[places.length - 1] }[e.key];
    if (i === undefined) return;
    u.setCursor({ left: u.valToPos(xs[i], "x"), top: u.bbox.height / devicePixelRatio / 2 });
    tell(`${place(curve, xs[i])}: ` + curve.lines.map((l, n) => `${l.name} ${quantity(data[n + 1][i], curve.unit)}`).join(", "));
    e.preventDefault();
  };
  return (
    <figure class="chart" data-curve={index}>
      <figcaption><b>{curve.name}</b> <span class="quiet">by {curve.x}</span></figcaption>
      <div class="plot" ref={box} tabIndex={0} role="img" onKeyDown={key} aria-label={`${curve.name} by ${curve.x}: ${curve.lines.map(l => l.name).join(", ")}. Arrow keys move through the points.`} />
      <span class="hidden" role="status">{told}</span>
      <details class="numbers">
        <summary>Numbers</summary>
        <div class="scroll numbers" tabIndex={0} role="region" aria-label={`Numbers of ${curve.name}`}>
          <table>
            <thead><tr><th class="number" scope="col">{curve.x}</th>{curve.lines.map(l => <th class="number" scope="col">{l.name}</th>)}</tr></thead>
            <tbody>{xs.map((x, i) => measured(curve, data, i) && <tr><td class="number">{words(curve, x)}</td>{curve.lines.map((_, n) => <td class="number">{quantity(data[n + 1][i], curve.unit)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

// apart leaves out what would stand on what is left of it.
const apart = (u: uPlot, at: number[], room: number): (number | null)[] => {
  let last = -Infinity;
  return at.map(x => {
    const left = u.valToPos(x, "x");
    if (left - last < room) return null;
    last = left;
    return x;
  });
};

// Levels of load grow by factors: the axis does, too.
function options(curve: Data, data: uPlot.AlignedData, width: number): uPlot.Options {
  const xs = data[0] as number[], wide = !curve.places && xs.length > 1 && xs[0] > 0 && xs[xs.length - 1] / xs[0] > 8;
  const places = xs.filter((_, i) => measured(curve, data, i));
  const ticks = curve.places ? places.filter((_, i) => i % Math.ceil(places.length / 12) === 0) : places;
  const line = { stroke: () => colour("dim"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  return {
    width: Math.max(width, 240), height, cursor: { drag: { x: false, y: false }, focus: { prox: 24 } },
    ...(curve.places ? { padding: [null, 52, null, null] as uPlot.Padding } : {}), // half a name of a place
    scales: {
      x: { time: false, ...(wide ? { distr: 3, log: 2 } : {}), range: () => [xs[0] * (wide ? 0.9 : 1), xs[xs.length - 1] * (wide ? 1.1 : 1) || 1] },
      y: { range: (_, __, high) => [0, (high || 1) * (curve.places && curve.marks.length > 0 ? 1.25 : 1.08)] },
    },
    axes: [
      { ...line, size: 30, splits: () => ticks, filter: (u, at) => apart(u, at, curve.places ? 130 : 44), values: (_, at) => at.map(x => (x == null ? "" : words(curve, x))) },
      { ...line, size: 76, values: (_, ticks) => ticks.map(v => (v == null ? "" : quantity(v, curve.unit))) },
    ],
    series: [
      { label: curve.x, value: (_, x) => (x == null ? "–" : words(curve, x)) },
      ...curve.lines.map((l, i): uPlot.Series => ({
        label: l.name, stroke: () => colour(lineColours[i % lineColours.length]), width: 1.75, dash: l.model ? [2, 4] : dashes[i % dashes.length], spanGaps: true,
        points: { show: !l.model, size: 6, fill: () => colour(lineColours[i % lineColours.length]) }, value: (_, v) => quantity(v, curve.unit),
      })),
    ],
    hooks: { drawClear: [u => curve.marks.forEach(m => drawMark(u, m.at, m.words))] },
  };
}

addEventListener("beforeprint", () => shown.forEach((_, u) => u.redraw()));

// What curves draw, for tests.
export const curvesDrawn = (): Record<number, unknown> => Object.fromEntries([...shown].map(([u, i]) => [i, u.data]));
