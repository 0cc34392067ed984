/** The calls between the page and the scores worker: a request, any number of progress notes, one answer. */
import type { Progress, Refusal } from './contract';

/** What the worker can do; each method is one call. Values cross by structured clone, bytes by transfer. */
export interface Calls {
  open(blob: Blob): unknown;
  entry(path: string): Uint8Array;
  recompute(attempt: number): unknown;
  recomputeClaims(): unknown;
  verify(): unknown;
  compare(reference: Uint8Array, candidate: Uint8Array, protocol: string): unknown;
  inspect(glb: Uint8Array): unknown;
  protocols(): unknown;
}

export type Method = keyof Calls;

export interface Request {
  id: number;
  method: Method;
  args: unknown[];
}

export type Reply =
  | { id: number; progress: Progress }
  | { id: number; value: unknown }
  | { id: number; refusal: Refusal };
