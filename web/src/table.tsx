import { useMemo, useState } from "preact/hooks";
import type { Column, Table as Data } from "./data";
import { numberOf } from "./unit";
import { Rows } from "./blocks";

interface Order { column: number; down: boolean }

// Table can be sorted by every column, up and down; a third press gives the order back that it had.
// Shares have bars.
export function Table({ table }: { table: Data }) {
  const columns = table.columns ?? [], rows = table.rows ?? [];
  const [order, set] = useState<Order | null>(null);
  const sorted = useMemo(() => sort(rows, order), [rows, order]);
  if (rows.length === 0) return null;
  const grouped = columns.some(c => c.group);
  const bars = useMemo(() => columns.map((_, i) => rows.every(r => /^(\d+(\.\d+)? %|\?|-)$/.test(r[i])) && rows.some(r => r[i].endsWith("%"))), [table]);
  const press = (column: number): void => {
    const first = !!columns[column].right;
    set(order?.column !== column ? { column, down: first } : order.down === first ? { column, down: !first } : null);
  };
  return (
    <section class="block">
      {table.title && <h2>{table.title}</h2>}
      <div class="scroll" tabIndex={0} role="region" aria-label={table.title ?? "table"}>
        <table>
          <thead>
            {grouped && <tr>{groups(columns).map(([name, span]) => <th colSpan={span} class="group">{name}</th>)}</tr>}
            <tr>{columns.map((c, i) => (
              <th class={of(c)} aria-sort={order?.column === i ? (order.down ? "descending" : "ascending") : "none"} scope="col">
                {c.name ? <button type="button" onClick={() => press(i)}>{c.name}<span class="arrow" aria-hidden="true">{order?.column === i ? (order.down ? "▼" : "▲") : "↕"}</span></button> : null}
              </th>))}
            </tr>
          </thead>
          <tbody>{sorted.map(([row, place]) => [
            <tr key={place}>{row.map((cell, i) => (
              <td class={of(columns[i]) + (columns[i].style ? ` ${columns[i].style}` : "")}>{bars[i] && cell.endsWith("%") ? <Bar text={cell} /> : cell}</td>))}</tr>,
            table.below?.[place]?.length ? <tr key={`${place} below`} class="below"><td colSpan={columns.length}><Rows rows={table.below[place]!} /></td></tr> : null,
          ])}</tbody>
        </table>
      </div>
      {table.more && <p class="quiet">{table.more}</p>}
    </section>
  );
}

const of = (c: Column): string => (c.right ? "number" : c.cut || c.wrap ? "long" : "word");

function Bar({ text }: { text: string }) {
  return <span class="bar"><span style={{ width: `${Math.min(100, parseFloat(text))}%` }} /><b>{text}</b></span>;
}

// groups joins neighbours under the same name.
function groups(columns: Column[]): [string, number][] {
  const out: [string, number][] = [];
  for (const c of columns) {
    const name = c.group ?? "", last = out.at(-1);
    if (last && last[0] === name) last[1]++;
    else out.push([name, 1]);
  }
  return out;
}

// Key is what a cell is sorted by: numbers first, then words, and last what is not known.
interface Key { kind: 0 | 1 | 2; number: number; words: string }

// keysOf are those of a column. Lists of times tell the day only where it changes.
function keysOf(cells: string[]): Key[] {
  let day = "";
  return cells.map(cell => {
    const number = numberOf(cell), time = /^(\d{4}-\d\d-\d\d )?(\d\d:\d\d:\d\d.*)$/.exec(cell);
    if (time) day = time[1] ?? day;
    return { kind: !isNaN(number) ? 0 : /[\p{L}\p{N}]/u.test(cell) ? 1 : 2, number, words: time ? day + time[2] : cell };
  });
}

const collator = new Intl.Collator("en", { numeric: true });

function sort(rows: string[][], order: Order | null): [string[], number][] {
  const list = rows.map((r, i): [string[], number] => [r, i]);
  if (!order) return list;
  const keys = keysOf(rows.map(r => r[order.column])), sign = order.down ? -1 : 1;
  return list.sort(([, x], [, y]) => {
    const a = keys[x], b = keys[y];
    return a.kind - b.kind || sign * (a.kind === 0 ? a.number - b.number : collator.compare(a.words, b.words)) || x - y;
  });
}
