import type { Block, Chains as ChainsData, Charts, Finding as FindingData, Flame, Item, List as ListData, Row } from "./data";
import { Chart } from "./chart";
import { Command } from "./copy";
import { Table } from "./table";

// Rows are the labelled parts of a finding.
export function Rows({ rows }: { rows: Row[] }) {
  return (
    <dl>{rows.map(r => [
      <dt class={known(r.label)}>{label(r.label)}</dt>,
      <dd class={known(r.label)}>
        {r.words}
        {r.danger && <span class="danger">Danger: {r.danger}</span>}
        {r.commands?.map(c => <Command text={c} />)}
        {r.price && <span class="quiet price">Price: {r.price}</span>}
      </dd>,
    ])}</dl>
  );
}

const known = (s?: string): string => (s ? s.toLowerCase() : "more");

// label writes the labels of the terminal, some of which are in capitals, in one way.
const label = (s?: string): string => (s ? s[0].toUpperCase() + s.slice(1).toLowerCase() : "");

// Words writes a title of the terminal, which is in capitals, as on paper: the first
// words, up to a comma, are those in capitals.
export function titled(s: string): string {
  const [, caps, rest] = /^([A-Z' ]+)(.*)$/s.exec(s) ?? [null, "", s];
  if (caps.trim().length < 2) return s;
  return caps[0] + caps.slice(1).toLowerCase() + rest;
}

export function Finding({ finding, charts }: { finding: FindingData; charts?: Charts }) {
  const cites = charts?.findings[String(finding.number)] ?? [];
  return (
    <article class={`finding ${finding.style}`} id={`finding-${finding.number}`} aria-labelledby={`headline-${finding.number}`}>
      <h2 id={`headline-${finding.number}`}><span class="rank">{finding.number}</span> <span class={`mark ${finding.style}`}>{finding.mark}</span> {finding.headline}</h2>
      <Rows rows={finding.rows ?? []} />
      {charts && cites.length > 0 && <div class="charts">{cites.map(c => (
        <Chart charts={charts} index={c.chart} cite={c} bands={c.band >= 0 ? [charts.bands[c.band]] : charts.bands.filter(b => !b.finding)} />))}</div>}
    </article>
  );
}

function Chains({ chains }: { chains: ChainsData }) {
  return (
    <section class="block">
      <h2>{titled(chains.title ?? "")}</h2>
      {chains.chains?.map(chain => (
        <ol class="chain">{chain.map((l, i) => (
          <li>
            <span class={i === chain.length - 1 ? "who last" : "who"}>{l.name}</span>
            {i < chain.length - 1 && <span class="arrow"><span class="hidden">waits for: </span>{l.waits || "waits"}</span>}
          </li>))}</ol>))}
    </section>
  );
}

const folded = /^(BLIND SPOTS|PROBES|NOT JUDGED|TABLES)/;

function List({ list }: { list: ListData }) {
  const items = <ul class={list.style}>{list.items?.map(i => <Entry item={i} />)}</ul>;
  if (!list.title) return <section class={`block remarks ${list.style}`}>{items}{list.more && <p class="quiet">{list.more}</p>}</section>;
  if (folded.test(list.title)) {
    return <details class="block"><summary><h2>{titled(list.title)}</h2> <span class="quiet">{list.items?.length}</span></summary>{items}{list.more && <p class="quiet">{list.more}</p>}</details>;
  }
  return <section class="block"><h2>{titled(list.title)}</h2>{items}{list.more && <p class="quiet">{list.more}</p>}</section>;
}

const Entry = ({ item }: { item: Item }) => (
  <li>{item.words}{item.remedy && <span class="quiet"> ({item.remedy})</span>}{item.command && <Command text={item.command} />}</li>
);

// Show shows a block of the document.
export function Show({ block, charts }: { block: Block; charts?: Charts; flames?: Flame[] }) {
  switch (block.kind) {
    case "Facts": return <p class="facts">{block.block.lead && <strong class={`lead ${block.block.style}`}>{block.block.lead}</strong>}{block.block.items?.filter(Boolean).map(s => <span class="fact">{s}</span>)}</p>;
    case "Prose": return <p class={block.block.label ? "prose" : `prose ${block.block.style}`}>{block.block.label && <b class={block.block.style}>{label(block.block.label)} </b>}{block.block.words}</p>;
    case "Heading": return <h2 class="heading">{titled(block.block.words ?? "")}</h2>;
    case "Finding": return <Finding finding={block.block} charts={charts} />;
    case "Table": return <Table table={{ ...block.block, title: block.block.title && titled(block.block.title) }} />;
    case "List": return <List list={block.block} />;
    case "Chains": return <Chains chains={block.block} />;
    default: return null;
  }
}
