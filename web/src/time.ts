// Times of the page: those of the zone in which its words were written, wherever it is read.
import type { Charts } from "./data";

export const shifted = (charts: Charts, at: number): Date => new Date((at + charts.zone_offset_seconds) * 1000);

const two = (n: number): string => String(n).padStart(2, "0");

export function clock(charts: Charts, at: number, seconds = true): string {
  const d = shifted(charts, at);
  return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}` + (seconds ? `:${two(d.getUTCSeconds())}` : "");
}

export const day = (charts: Charts, at: number): string => shifted(charts, at).toISOString().slice(0, 10);

// Long times without anything are left out of the axis: place is where a time is on it, and
// timeAt which time is there.
export const place = (charts: Charts, at: number): number =>
  (charts.cuts ?? []).reduce((x, c) => x - Math.max(0, Math.min(at, c.to) - c.from), at);

export const timeAt = (charts: Charts, x: number): number =>
  (charts.cuts ?? []).reduce((at, c) => (at > c.from ? at + c.to - c.from : at), x);
