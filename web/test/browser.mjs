// Opens a page as a reader does and tells what it did, as JSON: node browser.mjs CHROMIUM PAGE
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";

const [, , executablePath, file] = process.argv;
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
const page = await context.newPage();
const out = { errors: [], requests: [] };
page.on("console", m => { if (["error", "warning"].includes(m.type())) out.errors.push(m.text()); });
page.on("pageerror", e => out.errors.push(String(e)));
page.on("request", r => { if (r.url() !== pathToFileURL(file).href) out.requests.push(r.url()); });
page.on("dialog", d => { out.errors.push(`dialog: ${d.message()}`); d.dismiss(); });
await page.goto(pathToFileURL(file).href);
await page.waitForFunction(() => window.rtrail);

out.drawn = await page.evaluate(() => window.rtrail.drawn());
out.curves = await page.evaluate(() => window.rtrail.curvesDrawn());
out.text = await page.evaluate(() => document.querySelector("main").innerText);
out.strangers = await page.evaluate(() => document.querySelectorAll("img, iframe, object, script[src], link, a[href^='javascript']").length);

// contrasts lists texts that are hard to read: below 4.5 to 1.
const contrasts = () => page.evaluate(() => {
  const parse = s => {
    const n = s.match(/[\d.]+/g).map(Number);
    return { rgb: n.slice(0, 3), a: n.length > 3 ? n[3] : 1 };
  };
  const light = rgb => {
    const [r, g, b] = rgb.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = e => {
    const layers = [];
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.a > 0) layers.push(c);
      if (c.a === 1) break;
    }
    return layers.reverse().reduce((under, c) => c.rgb.map((v, i) => v * c.a + under[i] * (1 - c.a)), [255, 255, 255]);
  };
  // Texts of drawings stand on the shape beside them.
  const inDrawing = (e, svg) => {
    const under = behind(svg.parentElement), shape = e.parentElement.querySelector("rect");
    let opacity = 1;
    for (let p = e; p !== svg; p = p.parentElement) opacity *= Number(getComputedStyle(p).opacity);
    return [e, shape].map(x => parse(getComputedStyle(x).fill).rgb.map((v, i) => v * opacity + under[i] * (1 - opacity)));
  };
  const bad = [];
  let texts = 0, drawn = 0;
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let n; (n = walker.nextNode());) {
    const e = n.parentElement;
    const svg = e.closest("svg");
    if (!n.textContent.trim() || e.closest(".hidden, style") || svg && e.tagName !== "text" || !e.checkVisibility()) continue;
    texts++;
    if (svg) drawn++;
    const [x, y] = (svg ? inDrawing(e, svg) : [parse(getComputedStyle(e).color).rgb, behind(e)]).map(light);
    const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    if (ratio < 4.5) bad.push(`${ratio.toFixed(2)}: ${n.textContent.trim().slice(0, 60)}`);
  }
  return { texts, drawn, bad };
});
out.light = await contrasts();
await page.emulateMedia({ colorScheme: "dark" });
await page.waitForTimeout(100);
out.dark = await contrasts();
await page.emulateMedia({ colorScheme: "light" });
await page.waitForTimeout(100);

// The pixels of each cell of a heatmap have its colour over that of the paper, where no line covers it; its
// key, what the pointer is told, and its numbers. Cells of a few pixels may lie over each other.
out.heat = await page.evaluate(() => {
  const root = getComputedStyle(document.documentElement);
  const rgb = name => { const n = parseInt(root.getPropertyValue(name).trim().slice(1), 16); return [n >> 16, (n >> 8) & 255, n & 255]; };
  const paper = rgb("--bg"), way = rgb("--heat").map((v, i) => v - paper[i]), long = way.reduce((s, v) => s + v * v, 0);
  return window.rtrail.heatmaps().map(({ canvas, cells }) => {
    const large = cells.filter(({ box: [l, t, r, b] }) => r - l > 3 && b - t > 3), context = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const painted = large.filter(({ box: [left, top, right, bottom], alpha }) => [1, 3, 5, 7, 9].some(x => [1, 3, 5, 7, 9].some(y => {
      const [...pixel] = context.getImageData(left + ((right - left) * x) / 10, top + ((bottom - top) * y) / 10, 1, 1).data, a = pixel[3] / 255;
      const off = pixel.slice(0, 3).map((v, i) => v * a + paper[i] * (1 - a) - paper[i]), share = off.reduce((s, v, i) => s + v * way[i], 0) / long;
      return Math.abs(share - alpha) < 0.12 && Math.hypot(...off.map((v, i) => v - share * way[i])) < 40;
    })));
    return { tested: large.length, painted: painted.length, key: [...canvas.closest("figure").querySelectorAll(".heatkey .key")].map(e => e.textContent) };
  });
});
for (const [i, told] of out.heat.entries()) {
  const [x, y] = await page.evaluate(i => {
    const { canvas, cells } = window.rtrail.heatmaps()[i];
    canvas.scrollIntoView({ block: "center" });
    const [left, top, right, bottom] = cells.reduce((a, b) => (b.count > a.count ? b : a)).box, r = canvas.getBoundingClientRect();
    return [r.left + (left + right) / 2 / devicePixelRatio, r.top + (top + bottom) / 2 / devicePixelRatio];
  }, i);
  await page.mouse.move(x, y);
  await page.waitForTimeout(50);
  told.under = await page.evaluate(i => window.rtrail.heatmaps()[i].canvas.closest("figure").querySelector(".heatkey > span:last-child").textContent, i);
  const open = on => page.evaluate(([i, on]) => { window.rtrail.heatmaps()[i].canvas.closest("figure").querySelector("details.numbers").open = on; }, [i, on]);
  await open(true);
  await page.waitForTimeout(50);
  told.numbers = await page.evaluate(i => [...window.rtrail.heatmaps()[i].canvas.closest("figure").querySelectorAll(".heatmap td.number")].filter(e => e.textContent).length, i);
  await open(false);
  await page.mouse.move(0, 0);
  await page.waitForTimeout(50);
}
await page.evaluate(() => scrollTo(0, 0));

// The tab key reaches all that can be used, from top to bottom.
const usable = "button, a[href], input, summary, [tabindex='0']";
out.usable = await page.evaluate(s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility()).map((e, i) => (e.dataset.nth = i)).length, usable);
out.reached = [];
for (let i = 0; i < out.usable; i++) {
  await page.keyboard.press("Tab");
  out.reached.push(Number(await page.evaluate(() => document.activeElement.dataset.nth ?? -1)));
}

// A chart tells its points, a table is sorted, and a command is copied by keys alone.
if (await page.locator(".plot").count() > 0) {
  await page.locator(".plot").first().focus();
  await page.keyboard.press("End");
  out.told = await page.locator("figure [role=status]").first().textContent();
}
const table = page.locator("table", { has: page.locator("th button") }).first();
out.sorted = [];
for (const header of (await table.locator("th button").all()).slice(0, 8)) { // each pressed three times
  const orders = [];
  for (let i = 0; i < 3; i++) {
    await header.focus();
    await page.keyboard.press("Enter");
    orders.push(await table.evaluate(t => [...t.tBodies[0].rows].filter(r => !r.classList.contains("below")).map(r => r.cells[0].textContent)));
  }
  out.sorted.push(orders);
}
if (await page.locator("button.copy").count() > 0) {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
  await page.locator("button.copy").first().focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("button.copy").textContent === "Copied", null, { timeout: 3000 }).catch(() => {});
  out.copied = await page.evaluate(() => navigator.clipboard.readText()).catch(e => String(e));
}

// The colours change by the button, whatever the system wants, and charts are drawn again.
const theme = page.locator("button.theme"), paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
out.theme = { papers: [await paper()] };
for (let i = 0; i < 2; i++) {
  await theme.focus();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(100);
  out.theme.papers.push(await paper());
  if (i > 0) continue;
  out.theme.button = await theme.textContent();
  out.theme.redrawn = await page.evaluate(() => window.rtrail.drawn().length);
  out.chosen = await contrasts();
}

// Keys go through a flame graph: the largest callee, its neighbour, back, and a function enlarged.
if (await page.locator(".flames > .graph").count() > 0) {
  const name = () => page.locator(".about b").textContent(), widest = () => page.evaluate(() => [...document.querySelectorAll(".flames > .graph g:not(.off) rect")].filter(r => r.getAttribute("y") > 0).reduce((w, r) => Math.max(w, r.getAttribute("width")), 0) / document.querySelector(".flames > .graph svg").getAttribute("width"));
  await page.locator(".flames > .graph").focus();
  out.flame = { names: [], widest: [] };
  for (const key of ["ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Enter", "Escape"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(30);
    out.flame.names.push(await name());
    out.flame.widest.push(Math.round(100 * await widest()));
  }
  await page.locator(".flames input").focus();
  await page.keyboard.type("main");
  out.flame.found = await page.locator(".flames > .tools [role=status]").textContent();
}
await page.reload(); // nothing is chosen any more
await page.waitForFunction(() => window.rtrail);

// Nothing is wider than a telephone, but what scrolls by itself.
await page.setViewportSize({ width: 390, height: 800 });
await page.waitForTimeout(200);
out.narrow = await page.evaluate(() => document.documentElement.scrollWidth);
out.tooWide = await page.evaluate(() => [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest(".scroll, svg, .hidden, canvas")).map(e => `${e.tagName}.${e.className}: ${e.textContent.slice(0, 60)}`).slice(0, 8));
await page.setViewportSize({ width: 1280, height: 900 });

// Paper: all is shown, and nothing that only works on a screen.
const pdf = await page.pdf({ format: "A4" });
out.pdf = pdf.length;
await page.emulateMedia({ media: "print", colorScheme: "dark" });
await page.setViewportSize({ width: 700, height: 990 });
await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
await page.waitForTimeout(100);
out.print = await page.evaluate(() => ({
  buttons: [...document.querySelectorAll("button.copy, button.theme")].filter(e => e.checkVisibility()).length,
  folded: document.querySelectorAll("details.block:not([open])").length,
  paper: getComputedStyle(document.body).backgroundColor,
  flames: [...document.querySelectorAll(".flames h3")].filter(e => e.checkVisibility()).map(e => e.textContent),
  frames: [...document.querySelectorAll(".flames rect")].filter(e => e.checkVisibility()).length,
  wide: [...document.querySelectorAll("svg")].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth).length,
}));
await page.evaluate(() => dispatchEvent(new Event("afterprint")));
await browser.close();
console.log(JSON.stringify(out));
