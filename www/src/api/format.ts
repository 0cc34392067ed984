/** The lines and documents inside a bundle, version 1, spelt as core/src/bundle/format.rs spells them. */

export type Recomputable = 'browser' | 'server' | 'never';

export type Status = 'OK' | 'ERR_PARSE' | 'ERR_EXEC' | 'ERR_NO_MESH' | 'ERR_EXPORT' | 'ERR_TIMEOUT' | 'ERR_MEMORY' | 'ERR_EXIT' | 'ERR_RENDER' | 'OURS';

export type OfficialStatus = 'OK' | 'ERR_EXEC' | 'ERR_NO_MESH' | 'ERR_RENDER' | 'ERR_TIMEOUT' | 'ERR_NOLOG';

export type FailureClass = 'B5-API' | 'BMSH' | 'CTX' | 'MODULE' | 'OTHER';

export interface Exception {
  type: string;
  message: string;
  line: number | null;
  file?: string;
  traceback: string;
}

export interface MeshOutcome {
  status: Status;
  official_status: OfficialStatus | null;
  exception: Exception | null;
  failure_class: FailureClass | null;
  fingerprint: string | null;
  message: string;
  n_meshes: number;
  triangles: number;
  warnings?: string[];
  protocol: string;
}

export interface Ours {
  stage: string;
  message: string;
}

export type Outcome = ({ kind: 'mesh' } & MeshOutcome) | ({ kind: 'ours' } & Ours);

export interface View {
  azimuth_deg: number;
  protocol: string;
  picture: string;
}

export interface ProgramPath {
  folder: string;
  entry: string;
  files: string[];
}

export interface Reference {
  outcome: Outcome | null;
  mesh: string | null;
  views?: View[];
  program?: ProgramPath;
}

export interface Item {
  id: string;
  category: string;
  taxonomy?: string[];
  prompt: string;
  reference: Reference;
}

export interface AnswerFiles {
  response: string | null;
  program: ProgramPath | null;
  trimmed_head?: number;
  trimmed_tail?: number;
}

export interface Measurement {
  protocol: string;
  value: number | null;
  recomputable: Recomputable;
  details?: Record<string, unknown>;
  note?: string;
}

export interface Tokens {
  input: number;
  output: number;
  thoughts: number;
}

export interface Attempt {
  item: string;
  source: string;
  sample: number;
  turn: number;
  answer: AnswerFiles;
  outcome: Outcome;
  mesh: string | null;
  views?: View[];
  log: string | null;
  tokens: Tokens | null;
  cost_usd: number | null;
  measurements: Measurement[];
}

export interface Claim {
  table: string;
  row: string;
  column: string;
  value: number | null;
  protocol: string;
  n: number;
  ci95: [number, number] | null;
}

export interface Timing {
  item: string;
  source: string;
  sample: number;
  turn: number;
  seconds: Record<string, number>;
  peak_memory_bytes: number | null;
  machine: string;
}

export interface Source {
  id: string;
  kind: string;
}

export interface SandboxReport {
  kind: string;
  layers: string[];
  without?: string[];
}

export interface Counts {
  items: number;
  attempts: number;
  ours: number;
  blobs: number;
}

export interface Manifest {
  format: string;
  version: number;
  run: string;
  benchmark: string;
  benchmark_sha256: string;
  prompt: string;
  sources: Source[];
  protocols: string[];
  tools: Record<string, string>;
  limits: Record<string, number>;
  sandbox: SandboxReport;
  counts: Counts;
}
