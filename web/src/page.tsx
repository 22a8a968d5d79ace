import "uplot/dist/uPlot.min.css";
import "./page.css";
import { render } from "preact";
import type { Block, Charts, Page, Step } from "./data";
import { Show } from "./blocks";
import { Chart, drawn, heatmaps } from "./chart";
import { Curves, curvesDrawn } from "./curve";
import { Flames } from "./flame";
import { Lanes } from "./lanes";
import { isDark, toggleTheme, useTheme } from "./theme";

const page = JSON.parse(document.getElementById("data")!.textContent!) as Page;

// What stands before the pictures: all but what is read last.
const first = (b: Block): boolean => {
  switch (b.kind) {
    case "List": return !b.block.title;
    case "Table": return /^(WHERE|WHAT|TOP|SERVICES)/.test(b.block.title ?? "");
    case "Prose": return !b.block.label || b.block.label === "FAULTS";
    default: return true;
  }
};

// Charts of a time that belong to no finding.
const Pictures = ({ charts, list }: { charts: Charts; list: number[] }) => (
  <div class="charts">{list.map(i => <Chart charts={charts} index={i} bands={charts.bands} />)}</div>
);

// Steps are times with charts of their own: those of the evidence first.
const Steps = ({ steps }: { steps: Step[] }) => (
  <>{steps.map(({ title, charts, found }) => (
    <section class="block"><h2>{title}</h2>
      <Lanes charts={charts} />
      {found?.map((words, i) => charts.findings[String(i + 1)] && (
        <>
          <h3>{words}</h3>
          <div class="charts">{charts.findings[String(i + 1)].map(c => <Chart charts={charts} index={c.chart} cite={c} bands={charts.bands} />)}</div>
        </>))}
      <Pictures charts={charts} list={charts.host} />
    </section>))}
  </>
);

function Top() {
  useTheme();
  return (
    <div class="top">
      <h1>{page.document.title}</h1>
      <button type="button" class="theme" onClick={toggleTheme}>{isDark() ? "Light" : "Dark"} colours</button>
    </div>
  );
}

function All() {
  const { blocks } = page.document, { charts, curves, steps, flames } = page;
  const other = blocks.findIndex(b => b.kind !== "Facts"), facts = other < 0 ? blocks.length : other;
  if (!charts && (!flames || curves)) { // nothing but words and curves, and what they end with: in their order
    const told = blocks.findIndex(b => b.kind !== "Facts" && b.kind !== "Finding" && b.kind !== "Prose"), findings = told < 0 ? blocks.length : told;
    return (
      <>
        <Top />
        {blocks.slice(0, findings).map(b => <Show block={b} />)}
        {curves && curves.length > 0 && <Curves curves={curves} />}
        {steps && <Steps steps={steps} />}
        {blocks.slice(findings).map(b => <Show block={b} />)}
        {flames && flames.length > 0 && <Flames flames={flames} />}
      </>
    );
  }
  const faults = charts?.bands.some(b => b.finding);
  return (
    <>
      <Top />
      {blocks.slice(0, facts).map(b => <Show block={b} />)}
      {faults && <section class="block"><h2>When</h2><Lanes charts={charts!} /></section>}
      {blocks.slice(facts).filter(first).map(b => <Show block={b} charts={charts} />)}
      {charts && charts.host.length > 0 && (
        <section class="block"><h2>The host over time</h2>
          {!faults && <Lanes charts={charts} />}
          <Pictures charts={charts} list={charts.host} />
        </section>)}
      {charts?.traffic && (
        <section class="block"><h2>{charts.title}</h2>
          {!faults && charts.host.length === 0 && <Lanes charts={charts} />}
          <Pictures charts={charts} list={charts.traffic} />
        </section>)}
      {curves && curves.length > 0 && <Curves curves={curves} />}
      {flames && flames.length > 0 && <Flames flames={flames} />}
      {blocks.filter(b => !first(b)).map(b => <Show block={b} charts={charts} />)}
    </>
  );
}

const main = document.querySelector("main")!;
main.textContent = "";
render(<All />, main);

// Paper has no buttons: what is folded is shown.
addEventListener("beforeprint", () => document.querySelectorAll<HTMLDetailsElement>("details.block").forEach(d => {
  if (!d.open) { d.open = true; d.dataset.printed = ""; }
}));
addEventListener("afterprint", () => document.querySelectorAll<HTMLDetailsElement>("details[data-printed]").forEach(d => {
  d.open = false;
  delete d.dataset.printed;
}));

declare global { interface Window { rtrail: { page: Page; drawn: typeof drawn; heatmaps: typeof heatmaps; curvesDrawn: typeof curvesDrawn } } }
window.rtrail = { page, drawn, heatmaps, curvesDrawn };
