import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Flame as Data, Frame } from "./data";
import { onWidth } from "./width";

// A frame is as wide as its share of all counts. Callers are above what they call.
const rowHeight = 19, letter = 7.3, leastWidth = 1;

interface Node { frame: Frame; parent: Node | null; depth: number; kind: string; own: number; children: Node[] }

// link gives frames their parents, and the kind of what most of their time ends in.
function link(frame: Frame, parent: Node | null, depth: number): Node {
  const node: Node = { frame, parent, depth, kind: frame.k?.split(":")[0] ?? "", own: frame.c, children: [] };
  let best = 0;
  for (const f of frame.s ?? []) {
    const child = link(f, node, depth + 1);
    node.children.push(child);
    node.own -= f.c;
    if (!frame.k && f.c > best) { best = f.c; node.kind = child.kind; }
  }
  return node;
}

const kinds = ["lock", "cpu", "disk", "network", "sleep", "idle", "failure", ""];

interface Place { node: Node; x: number; w: number; match: boolean; off: boolean }

// place lays out what a focus shows: its callers whole, and what it calls.
function place(focus: Node, width: number, pattern: RegExp | null): { list: Place[]; found: number; rows: number } {
  const list: Place[] = [];
  let found = 0, rows = 0;
  const walk = (node: Node, x: number, w: number, hit: boolean): void => {
    const match = !!pattern?.test(node.frame.n);
    if (match && !hit) found += node.frame.c;
    if (w < leastWidth) return;
    list.push({ node, x, w, match, off: !!pattern && !match });
    rows = Math.max(rows, node.depth + 1);
    let at = x;
    for (const child of node.children) {
      const cw = (w * child.frame.c) / node.frame.c;
      walk(child, at, cw, hit || match);
      at += cw;
    }
  };
  for (let p = focus.parent; p; p = p.parent) list.unshift({ node: p, x: 0, w: width, match: false, off: true });
  walk(focus, 0, width, false);
  return { list, found, rows };
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(part * 10 < whole ? 2 : 1)} %`;

// Flames shows one of several flame graphs.
export function Flames({ flames }: { flames: Data[] }) {
  const [at, set] = useState(0);
  return (
    <section class="block flames">
      <h2>Flame graphs</h2>
      <div class="tools">
        {flames.map((f, i) => <button type="button" aria-pressed={i === at} onClick={() => set(i)}>{title(f)}</button>)}
      </div>
      <Flame key={at} flame={flames[at]} />
      <div class="paper">
        {flames.slice(0, maxPrinted).map(f => <OnPaper flame={f} />)}
        {flames.length > maxPrinted && <p>{flames.length - maxPrinted} more are shown on a screen.</p>}
      </div>
    </section>
  );
}

// maxPrinted bounds the flame graphs on paper, paperWidth is how wide one is drawn there.
const maxPrinted = 6, paperWidth = 900;

// OnPaper is a whole flame graph with its title: paper has no buttons to choose one, and does not
// wait until one is drawn.
function OnPaper({ flame }: { flame: Data }) {
  const { list, rows } = useMemo(() => place(link(flame.root, null, 0), paperWidth, null), [flame]);
  return (
    <div class="graph">
      <h3>{title(flame)}</h3>
      <Drawing list={list} width={paperWidth} height={rows * rowHeight} />
    </div>
  );
}

const title = (f: Data): string => `${f.title} (${f.root.c.toLocaleString("en")} ${f.unit})`;

interface Uses { active?: Node; words?: (n: Node) => string; onClick?: (n: Node) => void; onMove?: (n: Node) => void }

function Drawing({ list, width, height, active, words, onClick, onMove }: { list: Place[]; width: number; height: number } & Uses) {
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {list.map(({ node, x, w, match, off }) => {
        const room = Math.floor((w - 6) / letter), name = node.frame.n;
        return (
          <g class={(off ? "off " : "") + (node === active ? "active" : "")} onClick={onClick && (() => onClick(node))} onMouseMove={onMove && (() => onMove(node))}>
            {words && <title>{words(node)}</title>}
            <rect class={match ? "match" : `kind ${node.kind || "none"}`} x={x} y={node.depth * rowHeight} width={w} height={rowHeight - 1} rx={2} />
            {room >= 3 && <text x={x + 4} y={node.depth * rowHeight + rowHeight - 6}>{name.length <= room ? name : `${name.slice(0, room - 1)}…`}</text>}
          </g>);
      })}
    </svg>
  );
}

function Flame({ flame }: { flame: Data }) {
  const root = useMemo(() => link(flame.root, null, 0), [flame]);
  const box = useRef<HTMLDivElement>(null), [width, setWidth] = useState(900);
  const [focus, setFocus] = useState(root), [about, setAbout] = useState(root), [text, setText] = useState(""), [active, setActive] = useState(root);
  useEffect(() => onWidth(box.current!, room => setWidth(Math.max(240, room))), []);
  const pattern = useMemo(() => { try { return text ? new RegExp(text, "i") : null; } catch { return null; } }, [text]);
  const { list, found, rows } = useMemo(() => place(focus, width, pattern), [focus, width, pattern]);
  const go = (n: Node | null | undefined): void => {
    if (!n) return;
    setActive(n);
    setAbout(n);
  };
  const key = (e: KeyboardEvent): void => {
    const siblings = active.parent?.children ?? [active], i = siblings.indexOf(active);
    switch (e.key) {
      case "ArrowDown": go([...active.children].sort((a, b) => b.frame.c - a.frame.c)[0]); break;
      case "ArrowUp": go(active.parent); break;
      case "ArrowLeft": go(siblings[i - 1]); break;
      case "ArrowRight": go(siblings[i + 1]); break;
      case "Enter": setFocus(active); break;
      case "Escape": setFocus(root); go(root); break;
      default: return;
    }
    e.preventDefault();
  };
  const height = rows * rowHeight;
  return (
    <>
      <div class="tools">
        <input placeholder="Find functions (regular expression)" aria-label="Find functions" value={text} onInput={e => setText(e.currentTarget.value)} />
        {focus !== root && <button type="button" onClick={() => setFocus(root)}>Show all</button>}
        <span class="quiet" role="status">{pattern ? `${percent(found, focus.frame.c)} have it` : ""}</span>
        {kinds.filter(k => list.some(p => p.node.kind === k)).map(k => <span class="key"><i class={`kind ${k || "none"}`} />{k || "other"}</span>)}
      </div>
      <div class="graph" ref={box} tabIndex={0} role="group" onKeyDown={key} aria-label={`${flame.title}: arrow keys move through the functions, Enter enlarges one, Escape shows all`}>
        <Drawing list={list} width={width} height={height} active={active} onClick={n => { setFocus(n); go(n); }} onMove={setAbout}
          words={n => `${n.frame.n}\n${n.frame.c} ${flame.unit}, ${percent(n.frame.c, root.frame.c)}`} />
      </div>
      <p class="about" role="status">
        <b>{about.frame.n}</b><br />
        <span class="quiet">{about.frame.c.toLocaleString("en")} {flame.unit}, {percent(about.frame.c, root.frame.c)} of all; {about.own.toLocaleString("en")} end here{about.frame.k ? ` · ${about.frame.k}` : ""}</span>
      </p>
    </>
  );
}
