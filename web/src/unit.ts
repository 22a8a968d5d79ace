// Quantities as the rest of the page words them (internal/unit).

const short = (v: number): string => {
  const a = Math.abs(v);
  return a >= 1000 ? Math.round(v).toLocaleString("en") : a >= 100 ? v.toFixed(0) : a >= 10 ? trim(v.toFixed(1)) : a === 0 ? "0" : trim(a >= 0.1 ? v.toFixed(2) : v.toPrecision(2));
};

const trim = (s: string): string => s.includes(".") && !s.includes("e") ? s.replace(/\.?0+$/, "") : s;

export const bytes = (v: number): string => {
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (Math.abs(v) < 1024) return `${short(v)} ${unit}`;
    v /= 1024;
  }
  return `${short(v)} TiB`;
};

export const seconds = (v: number): string => {
  const a = Math.abs(v);
  return a === 0 ? "0 s" : a < 1e-3 ? `${short(v * 1e6)} µs` : a < 1 ? `${short(v * 1e3)} ms` : a < 120 ? `${short(v)} s` : a < 7200 ? `${short(v / 60)} min` : a < 172800 ? `${short(v / 3600)} h` : `${short(v / 86400)} days`;
};

// quantity words a value of a unit of the metrics.
export function quantity(v: number | null | undefined, unit: string): string {
  if (v == null) return "–";
  switch (unit) {
    case "share": return `${short(v * 100)} %`;
    case "share of one CPU": return `${short(v * 100)} %`;
    case "bytes": return bytes(v);
    case "bytes per second": return `${bytes(v)}/s`;
    case "seconds": return seconds(v);
    case "per second": return `${short(v)}/s`;
    default: return short(v);
  }
}

// factors of what may stand behind a number in a cell of a table.
const factors: Record<string, number> = {
  ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, days: 86400, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4, k: 1e3, M: 1e6, "%": 1,
};

// A number, "8 min 27 s" as one, by itself or per second; behind it what marks the best, at least so many, or a rank.
const digits = String.raw`(\d[\d,]*(?:\.\d+)?)`, factor = `(${Object.keys(factors).join("|")})`;
const number = new RegExp(`^([+-]?)${digits}(?: ?${factor}(?: ${digits} ${factor})?)?(?:/s)?(?:[*+]| \\(\\d+\\))?$`);

// numberOf is what a cell is sorted by; NaN if it is anything but one number, as a time, an address or a range.
export function numberOf(cell: string): number {
  const found = number.exec(cell);
  if (!found) return NaN;
  const [, sign, first, large, second, small] = found;
  const of = (s: string | undefined, unit: string | undefined): number => (s ? Number(s.replaceAll(",", "")) * (unit ? factors[unit] : 1) : 0);
  return (sign === "-" ? -1 : 1) * (of(first, large) + of(second, small));
}
