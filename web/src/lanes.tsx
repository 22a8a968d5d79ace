import type { Band, Charts } from "./data";
import { clock } from "./time";

// Lanes show the marked times one below the other: which fault was there when.
export function Lanes({ charts }: { charts: Charts }) {
  const { bands, from, to } = charts, span = Math.max(to - from, 1);
  if (bands.length === 0) return null;
  if (bands.every(b => !b.finding)) return <p class="quiet"><i class={`swatch ${bands[0].style}`} /> {bands[0].words}, {when(charts, bands[0])}</p>;
  return (
    <ol class="lanes">{bands.map(b => (
      <li>
        {b.finding
          ? <a href={`#finding-${b.finding}`}><span class="rank">{b.finding}</span> {b.words} <span class="quiet">{when(charts, b)}</span></a>
          : <span>{b.words} <span class="quiet">{when(charts, b)}</span></span>}
        <span class="lane"><span class={b.style} style={{ left: `${(100 * (b.from - from)) / span}%`, width: `${Math.max(0.4, (100 * (b.to - b.from)) / span)}%` }} /></span>
      </li>))}</ol>
  );
}

const when = (charts: Charts, b: Band): string => `${clock(charts, b.from)} to ${clock(charts, b.to)}`;
