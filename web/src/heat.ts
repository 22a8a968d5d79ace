// A heatmap: how many there were at each time in each range of values, the darker the more.
import type uPlot from "uplot";
import type { Charts, Heat } from "./data";
import { colour } from "./theme";
import { place } from "./time";

// heat draws a heatmap below the lines of a chart. A cell is as strong as the logarithm of
// its count: a few slow ones are seen beside many fast ones.
export function heat(u: uPlot, charts: Charts, data: Heat): void {
  const { ctx, bbox } = u, at = charts.times[data.times], most = Math.log1p(data.cells.reduce((n, c) => Math.max(n, c[2]), 1));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colour("heat");
  for (const [time, row, count] of data.cells) {
    const from = charts.from + at[time] / 1000, [low, high] = data.rows[row];
    const left = u.valToPos(place(charts, from), "x", true), right = u.valToPos(place(charts, from + data.step / 1000), "x", true);
    const top = u.valToPos(high, "y", true), bottom = u.valToPos(Math.max(low, 1e-9), "y", true);
    ctx.globalAlpha = 0.12 + (0.78 * Math.log1p(count)) / most;
    ctx.fillRect(left, top, Math.max(right - left, 2), Math.max(bottom - top, 1));
  }
  ctx.restore();
}
