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

// The tab key reaches all that can be used, from top to bottom.
const usable = "button, a[href], input, summary, [tabindex='0']";
out.usable = await page.evaluate(s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility()).map((e, i) => (e.dataset.nth = i)).length, usable);
out.reached = [];
for (let i = 0; i < out.usable; i++) {
  await page.keyboard.press("Tab");
  out.reached.push(Number(await page.evaluate(() => document.activeElement.dataset.nth ?? -1)));
}

// A chart tells its points, a table sorts, and a command is copied by keys alone.
await page.locator(".plot").first().focus();
await page.keyboard.press("End");
out.told = await page.locator("figure [role=status]").first().textContent();
const header = page.locator("th button").first();
await header.focus();
await page.keyboard.press("Enter");
out.sorted = await page.evaluate(() => [...document.querySelectorAll("th[aria-sort=ascending]")[0].closest("table").querySelectorAll("tbody tr")].map(r => r.cells[0].textContent));
await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
await page.locator("button.copy").first().focus();
await page.keyboard.press("Enter");
await page.waitForFunction(() => document.querySelector("button.copy").textContent === "Copied", null, { timeout: 3000 }).catch(() => {});
out.copied = await page.evaluate(() => navigator.clipboard.readText()).catch(e => String(e));

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
if (await page.locator(".graph").count() > 0) {
  const name = () => page.locator(".about b").textContent(), widest = () => page.evaluate(() => [...document.querySelectorAll(".graph g:not(.off) rect")].filter(r => r.getAttribute("y") > 0).reduce((w, r) => Math.max(w, r.getAttribute("width")), 0) / document.querySelector(".graph svg").getAttribute("width"));
  await page.locator(".graph").focus();
  out.flame = { names: [], widest: [] };
  for (const key of ["ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Enter", "Escape"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(30);
    out.flame.names.push(await name());
    out.flame.widest.push(Math.round(100 * await widest()));
  }
  await page.locator(".flames input").focus();
  await page.keyboard.type("main");
  out.flame.found = await page.locator(".flames .tools [role=status]").textContent();
}
await page.reload(); // nothing is chosen any more
await page.waitForFunction(() => window.rtrail);

// Nothing is wider than a telephone, but what scrolls by itself.
await page.setViewportSize({ width: 390, height: 800 });
await page.waitForTimeout(200);
out.narrow = await page.evaluate(() => document.documentElement.scrollWidth);
await page.setViewportSize({ width: 1280, height: 900 });

// Paper: all is shown, and nothing that only works on a screen.
const pdf = await page.pdf({ format: "A4" });
out.pdf = pdf.length;
await page.emulateMedia({ media: "print", colorScheme: "dark" });
await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
await page.waitForTimeout(100);
out.print = await page.evaluate(() => ({
  buttons: [...document.querySelectorAll("button.copy, button.theme")].filter(e => e.checkVisibility()).length,
  folded: document.querySelectorAll("details.block:not([open])").length,
  paper: getComputedStyle(document.body).backgroundColor,
}));
await page.evaluate(() => dispatchEvent(new Event("afterprint")));
await browser.close();
console.log(JSON.stringify(out));
