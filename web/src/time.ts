// Times of the page: those of the zone in which its words were written, wherever it is read.
import type { Charts } from "./data";

export const shifted = (charts: Charts, at: number): Date => new Date((at + charts.zone_offset_seconds) * 1000);

const two = (n: number): string => String(n).padStart(2, "0");

export function clock(charts: Charts, at: number, seconds = true): string {
  const d = shifted(charts, at);
  return `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}` + (seconds ? `:${two(d.getUTCSeconds())}` : "");
}

export const day = (charts: Charts, at: number): string => shifted(charts, at).toISOString().slice(0, 10);
