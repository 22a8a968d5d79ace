"use strict";
const trees = JSON.parse(document.getElementById("data").textContent);
// A frame is as wide as its share of all threads. Callers are below callees.
const rowHeight = 18, letter = 7.3, leastWidth = 0.4;
const colours = { lock: "#e5707e", cpu: "#f2a65a", disk: "#8f8fe0", network: "#5fb3d9", sleep: "#b7a3c9", idle: "#b9c2cb", failure: "#d94f9a", "": "#f0cf65" };
const svgNS = "http://www.w3.org/2000/svg";
const graph = document.getElementById("graph"), about = document.getElementById("about"), nav = document.getElementById("nav");
let current = trees[0], focus = null, pattern = null;

function link(node, parent, depth) {
  node.p = parent;
  node.d = depth;
  let kind = node.k ? node.k.split(":")[0] : "", own = node.c;
  let best = 0;
  for (const child of node.s || []) {
    own -= child.c;
    const of = link(child, node, depth + 1);
    if (!node.k && child.c > best) { best = child.c; kind = of; }
  }
  node.kind = kind;
  node.own = own;
  return kind;
}

function shade(node) {
  // Neighbours of one kind differ a little, by their name.
  let h = 0;
  for (let i = 0; i < node.n.length; i++) h = (h * 31 + node.n.charCodeAt(i)) | 0;
  return 0.80 + (Math.abs(h) % 20) / 100;
}

function percent(part, whole) { return (100 * part / whole).toFixed(part * 10 < whole ? 2 : 1) + " %"; }

function describe(node) {
  about.textContent = "";
  const root = current.root, line = document.createElement("div"), small = document.createElement("small");
  line.textContent = node.n;
  small.textContent = `${node.c.toLocaleString("en")} ${current.unit}, ${percent(node.c, root.c)} of all; ${node.own.toLocaleString("en")} end here` + (node.k ? ` · ${node.k}` : "");
  about.append(line, small);
}

function draw() {
  graph.textContent = "";
  const width = graph.clientWidth - 36, root = current.root, top = focus || root;
  let lowest = 0;
  const frames = [];
  let found = 0;
  (function place(node, x, w, hit) {
    const match = pattern && pattern.test(node.n);
    if (match && !hit) found += node.c;
    if (w < leastWidth) return;
    frames.push([node, x, w, match]);
    lowest = Math.max(lowest, node.d);
    let at = x;
    for (const child of node.s || []) {
      const cw = w * child.c / node.c;
      place(child, at, cw, hit || match);
      at += cw;
    }
  })(top, 0, width, false);
  for (let p = top.p; p; p = p.p) frames.push([p, 0, width, pattern && pattern.test(p.n), true]);
  const height = (lowest + 1) * rowHeight, svg = document.createElementNS(svgNS, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("role", "img");
  for (const [node, x, w, match, below] of frames) {
    const g = document.createElementNS(svgNS, "g"), rect = document.createElementNS(svgNS, "rect");
    const y = height - (node.d + 1) * rowHeight;
    rect.setAttribute("x", x); rect.setAttribute("y", y);
    rect.setAttribute("width", w); rect.setAttribute("height", rowHeight - 1);
    rect.setAttribute("rx", 2);
    rect.setAttribute("fill", match ? "#c77dff" : colours[node.kind] || colours[""]);
    rect.setAttribute("fill-opacity", shade(node));
    if (below || (pattern && !match)) g.setAttribute("class", "off");
    const title = document.createElementNS(svgNS, "title");
    title.textContent = `${node.n}\n${node.c} ${current.unit}, ${percent(node.c, root.c)}`;
    g.append(title, rect);
    const room = Math.floor((w - 6) / letter);
    if (room >= 3) {
      const t = document.createElementNS(svgNS, "text");
      t.setAttribute("x", x + 4); t.setAttribute("y", y + rowHeight - 6);
      t.textContent = node.n.length <= room ? node.n : node.n.slice(0, room - 1) + "…";
      g.append(t);
    }
    g.addEventListener("click", () => { focus = node === root ? null : node; draw(); describe(node); });
    g.addEventListener("mousemove", () => describe(node));
    svg.append(g);
  }
  graph.append(svg);
  document.getElementById("hit").textContent = pattern ? `${percent(found, top.c)} have it` : "";
}

trees.forEach((t, i) => {
  link(t.root, null, 0);
  const b = document.createElement("button");
  b.textContent = `${t.title} (${t.root.c.toLocaleString("en")})`;
  b.setAttribute("aria-pressed", i === 0);
  b.addEventListener("click", () => {
    for (const other of nav.querySelectorAll("button")) other.setAttribute("aria-pressed", other === b);
    current = t; focus = null; draw(); describe(t.root);
  });
  nav.append(b);
});
const input = document.createElement("input");
input.placeholder = "find functions (regular expression)";
input.setAttribute("aria-label", "find functions");
input.addEventListener("input", () => {
  try { pattern = input.value ? new RegExp(input.value, "i") : null; } catch { return; }
  draw();
});
const hit = document.createElement("span");
hit.id = "hit";
nav.append(input, hit);
for (const [kind, colour] of Object.entries(colours)) {
  const key = document.createElement("span"), box = document.createElement("i");
  key.className = "key";
  box.style.background = colour;
  key.append(box, kind || "not known");
  nav.append(key);
}
addEventListener("keydown", e => { if (e.key === "Escape") { focus = null; draw(); } });
addEventListener("resize", draw);
draw();
describe(current.root);
