/** What the two wasm modules answer. Core has read and checked the file before any of this is handed out. */
import type { Attempt, Claim, Item, Manifest, Timing } from '../api/format';

/** A file in a bundle. */
export interface Entry {
  path: string;
  size: number;
}

/** Everything in a bundle but its files' contents. */
export interface Summary {
  root: string;
  manifest: Manifest;
  items: Item[];
  attempts: Attempt[];
  claims: Claim[];
  timing: Timing[];
  entries: Entry[];
}

/** How a claimed value fared. */
export type Verdict = 'agrees' | 'differs' | 'not_checkable';

/** One number or hash of the bundle, and what this browser makes of it. */
export interface Check {
  where: string;
  protocol: string | null;
  claimed: unknown;
  recomputed: unknown;
  verdict: Verdict;
  reason: string | null;
}

/** Every check of a bundle. */
export interface Report {
  root: string;
  claims: { agree: number; differ: number; not_checkable: number };
  differences: { where: string; claimed: unknown; recomputed: unknown }[];
  checks: Check[];
}

/** How far a whole check has come. */
export interface Progress {
  done: number;
  total: number;
  what?: string;
}

/** A protocol of core's registry. */
export interface Protocol {
  id: string;
  title: string;
  definition: string;
  source: string;
  better: 'less' | 'more' | 'neither';
  recomputable: 'browser' | 'server' | 'never';
}

/** Facts about a mesh. */
export interface Facts {
  triangles: number;
  vertices: number;
  area: number;
  bounds: [[number, number, number], [number, number, number]] | null;
  nodes_with_mesh: number;
  components: number;
  warnings: string[];
}

/** Core's typed "no": what is wrong, where, and what to do. */
export interface Refusal {
  kind: string;
  where: string;
  message: string;
}

export type Inspection = Facts | { refused: Refusal };

/** Two meshes measured. */
export interface Comparison {
  protocol: string;
  value: number;
  yaw_deg?: number;
  per_yaw?: number[];
  noise_floor?: number;
  reference?: Record<string, unknown>;
  candidate?: Record<string, unknown>;
  [more: string]: unknown;
}

/** A refusal, thrown. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
    this.name = 'Refused';
  }
}

/** Whatever was thrown, as a refusal: wasm throws objects or JSON text, the browser throws errors. */
export function asRefusal(thrown: unknown): Refusal {
  if (thrown instanceof Refused) return thrown.refusal;
  const text = thrown instanceof Error ? thrown.message : typeof thrown === 'string' ? thrown : undefined;
  const value: unknown = text === undefined ? thrown : jsonObject(text);
  if (typeof value === 'object' && value !== null && 'message' in value) {
    const { kind, where, message } = value as Record<string, unknown>;
    return { kind: String(kind ?? 'problem'), where: String(where ?? ''), message: String(message) };
  }
  return { kind: 'problem', where: '', message: text ?? String(thrown) };
}

function jsonObject(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
