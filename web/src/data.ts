// What the page is made of: the JSON of internal/page, internal/document and
// internal/chart, in the element "data".

export type Style = "plain" | "strong" | "quiet" | "alarm" | "warn" | "good";

export interface Facts { lead?: string; items?: string[]; style?: Style }
export interface Prose { label?: string; style?: Style; words?: string }
export interface Heading { words?: string; style?: Style }
export interface Row { label?: string; words?: string; commands?: string[]; price?: string; danger?: string }
export interface Finding { number?: number; mark?: string; style?: Style; headline?: string; rows?: Row[] }
export interface Column { name?: string; right?: boolean; group?: string; cut?: boolean; wrap?: boolean; style?: Style }
export interface Table { title?: string; columns?: Column[]; rows?: string[][]; below?: (Row[] | null)[]; more?: string }
export interface Item { words?: string; command?: string; remedy?: string }
export interface List { title?: string; style?: Style; items?: Item[]; more?: string }
export interface Link { name: string; waits?: string }
export interface Chains { title?: string; style?: Style; chains?: Link[][] }

export type Block =
  | { kind: "Facts"; block: Facts } | { kind: "Prose"; block: Prose } | { kind: "Heading"; block: Heading }
  | { kind: "Finding"; block: Finding } | { kind: "Table"; block: Table } | { kind: "List"; block: List }
  | { kind: "Chains"; block: Chains };

export interface Line { name: string; times: number; values: number[]; spared?: number }
export interface Heat { times: number; step: number; rows: [number, number][]; cells: [number, number, number][] }
export interface Chart { name: string; metric?: string; help?: string; source?: string; unit: string; lines: Line[]; heat?: Heat; left_out?: number }
export interface Cite { chart: number; limit?: number; band: number }
export interface Band { from: number; to: number; words: string; style: Style; finding?: number }
export interface Cut { from: number; to: number }
export interface Charts {
  from: number; to: number; zone: string; zone_offset_seconds: number;
  bands: Band[]; cuts?: Cut[]; times: number[][]; charts: Chart[]; host: number[]; title?: string; traffic?: number[]; findings: Record<string, Cite[]>;
}

export interface Curve { name: string; x: string; unit: string; lines: { name: string; points: [number, number][]; model?: boolean }[]; marks: { at: number; words: string }[]; places?: string[] }

export interface Frame { n: string; c: number; k?: string; s?: Frame[] }
export interface Flame { title: string; unit: string; root: Frame }

export interface Step { title: string; charts: Charts; found?: string[] }

export interface Page { document: { title: string; blocks: Block[] }; charts?: Charts; curves?: Curve[]; steps?: Step[]; flames?: Flame[] }
