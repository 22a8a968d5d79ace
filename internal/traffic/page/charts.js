"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.getElementById("charts");
  const plots = [];
  const element = (parent, name, text) => {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    parent.appendChild(e);
    return e;
  };
  const width = () => Math.max(300, root.clientWidth);
  const duration = ms => ms == null ? "–"
    : ms >= 1000 ? (ms / 1000).toPrecision(3) + " s"
    : ms >= 1 ? ms.toPrecision(3) + " ms"
    : (ms * 1000).toPrecision(3) + " µs";
  const rate = v => v == null ? "–" : v >= 100 ? Math.round(v).toLocaleString("en") : v.toPrecision(3);
  // Few points are all drawn; of many, those that no line reaches.
  const alone = (u, i) => {
    const list = u.data[i], out = [];
    list.forEach((v, k) => {
      if (v != null && (list.length < 60 || list[k - 1] == null && list[k + 1] == null)) out.push(k);
    });
    return out;
  };
  const line = (label, stroke, show, value) => ({
    label, stroke, width: 1.5, points: { show: true, size: 6, fill: stroke, filter: (u, i) => alone(u, i) }, value: (_, v) => value(v), show,
  });
  // An axis of at least ten points: of a single one, a time that means nothing
  // would be made up.
  const range = (u, low, high) => {
    if (low == null) return [null, null];
    if (u.data[0].length === 1) high = low; // the library made the end up
    const room = Math.max(0, 10 * data.step - (high - low)) / 2;
    return [low - room, high + room];
  };
  const plot = (parent, series, values, axis, value, height, log) => {
    const options = {
      width: width(), height,
      cursor: { sync: { key: "time" } },
      scales: { x: { time: true, range }, y: log ? { distr: 3 } : { range: (_, low, high) => [0, (high || 1) * 1.05] } },
      axes: [{}, { size: 80, values: (_, ticks) => ticks.map(v => v == null ? "" : value(v)), label: axis, labelSize: 22 }],
      series: [{ value: (_, t) => t == null ? "–" : new Date(t * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC" }, ...series],
      tzDate: t => uPlot.tzDate(new Date(t * 1000), "UTC"),
    };
    plots.push(new uPlot(options, values, parent));
  };
  for (const c of data.charts) {
    element(root, "h2", c.name);
    element(root, "h3", "Response time (UTC)");
    const positive = list => list.map(v => v === 0 ? 1e-6 : v);
    plot(element(root, "div"), [
      line("p50", "#2da44e", true, duration), line("p95", "#1f6feb", true, duration),
      line("p99", "#bf8700", true, duration), line("max", "#cf222e", true, duration),
    ], [c.at, positive(c.p50), positive(c.p95), positive(c.p99), positive(c.max)], "RT", duration, 260, true);
    element(root, "h3", "Requests per second");
    plot(element(root, "div"), [line("QPS", "#1f6feb", true, rate), line("errors", "#cf222e", true, rate)],
      [c.at, c.qps, c.errors], "per second", rate, 180, false);
    element(root, "h3", "Distribution of RT");
    const bars = element(root, "table");
    bars.className = "bars";
    for (const [label, count, share] of c.bars || []) {
      const row = element(bars, "tr");
      element(row, "td", label);
      const cell = element(row, "td");
      cell.style.width = "420px";
      const bar = element(cell, "div");
      bar.style.width = (share * 100).toFixed(1) + "%";
      if (count === 0) bar.style.visibility = "hidden";
      element(row, "td", count.toLocaleString("en"));
    }
    for (const text of c.peaks || []) element(root, "div", text).className = "facts";
  }
  addEventListener("resize", () => plots.forEach(p => p.setSize({ width: width(), height: p.height })));
})();
