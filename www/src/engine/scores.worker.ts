/** Runs core as WebAssembly away from the page, so that measuring never stops it. Holds at most one bundle. */
import init, * as scores from '../../generated/scores/scores.js';
import type { Calls, Reply, Request } from './calls';
import { asRefusal, type Progress, Refused } from './contract';

const ready = init();
let bundle: scores.Bundle | undefined;

function opened(): scores.Bundle {
  if (!bundle) throw new Refused({ kind: 'no_bundle', where: '', message: 'No bundle is open. Open one first.' });
  return bundle;
}

function calls(progress: (note: Progress) => void): Calls {
  return {
    open(blob) {
      bundle?.free();
      bundle = undefined;
      bundle = scores.Bundle.open(blob);
      return bundle.summary();
    },
    entry: (path) => opened().entry(path),
    recompute: (attempt) => opened().recompute(attempt),
    recomputeClaims: () => opened().recomputeClaims(),
    verify: () =>
      opened().verify((done: number, total: number, what?: string) =>
        progress(what === undefined ? { done, total } : { done, total, what }),
      ),
    compare: (reference, candidate, protocol) => scores.compare(reference, candidate, protocol),
    inspect: (glb) => scores.inspect(glb),
    protocols: () => scores.protocols(),
  };
}

function reply(message: Reply, transfer: Transferable[] = []): void {
  postMessage(message, { transfer });
}

self.addEventListener('message', async ({ data }: MessageEvent<Request>) => {
  const { id, method, args } = data;
  try {
    await ready;
    const run = calls((progress) => reply({ id, progress }))[method] as (...args: unknown[]) => unknown;
    const value = run(...args);
    reply({ id, value }, value instanceof Uint8Array ? [value.buffer] : []);
  } catch (thrown) {
    reply({ id, refusal: asRefusal(thrown) });
  }
});
