/** The page's side of the scores worker. */
import type { Calls, Method, Reply, Request } from './calls';
import {
  type Check,
  type Comparison,
  type Inspection,
  type Progress,
  type Protocol,
  Refused,
  type Report,
  type Summary,
} from './contract';

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
  progress: ((note: Progress) => void) | undefined;
}

/** A worker with core in it. */
class Scores {
  readonly #worker = new Worker(new URL('./scores.worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#settle(data));
    this.#worker.addEventListener('error', (event) => this.stop(event.message || 'the scores module did not load'));
  }

  call(method: Method, args: Parameters<Calls[Method]>, progress?: (note: Progress) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject, progress });
      const request: Request = { id, method, args };
      this.#worker.postMessage(request);
    });
  }

  /** Ends the worker at once; whoever waits is told why. */
  stop(reason: string): void {
    this.#worker.terminate();
    const refusal = { kind: 'stopped', where: '', message: `The calculation was stopped: ${reason}. Reload the page to try again.` };
    for (const { reject } of this.#waiting.values()) reject(new Refused(refusal));
    this.#waiting.clear();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) return;
    if ('progress' in reply) {
      waiting.progress?.(reply.progress);
      return;
    }
    this.#waiting.delete(reply.id);
    if ('refusal' in reply) waiting.reject(new Refused(reply.refusal));
    else waiting.resolve(reply.value);
  }
}

/**
 * An open bundle. Reading and calculating have a worker each, so that pictures keep coming while scores are recomputed,
 * and a long check can be cancelled.
 */
export class Bundle {
  readonly #reader: Scores;
  #calculator: Promise<Scores> | undefined;

  private constructor(
    readonly blob: Blob,
    readonly summary: Summary,
    reader: Scores,
  ) {
    this.#reader = reader;
  }

  static async open(blob: Blob): Promise<Bundle> {
    const reader = new Scores();
    try {
      return new Bundle(blob, (await reader.call('open', [blob])) as Summary, reader);
    } catch (thrown) {
      reader.stop('the file was refused');
      throw thrown;
    }
  }

  async entry(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#reader.call('entry', [path])) as Uint8Array<ArrayBuffer>;
  }

  async recompute(attempt: number): Promise<Check[]> {
    return (await (await this.#calculate()).call('recompute', [attempt])) as Check[];
  }

  async recomputeClaims(): Promise<Check[]> {
    return (await (await this.#calculate()).call('recomputeClaims', [])) as Check[];
  }

  async verify(progress: (note: Progress) => void): Promise<Report> {
    return (await (await this.#calculate()).call('verify', [], progress)) as Report;
  }

  /** Stops a calculation under way; the next one starts afresh. */
  async cancel(): Promise<void> {
    const calculator = this.#calculator;
    this.#calculator = undefined;
    (await calculator)?.stop('cancelled');
  }

  close(): void {
    void this.cancel();
    this.#reader.stop('the bundle was closed');
  }

  #calculate(): Promise<Scores> {
    this.#calculator ??= (async () => {
      const calculator = new Scores();
      await calculator.call('open', [this.blob]);
      return calculator;
    })();
    return this.#calculator;
  }
}

let shared: Scores | undefined;
let registry: Promise<Protocol[]> | undefined;

function loose(): Scores {
  shared ??= new Scores();
  return shared;
}

/** Every protocol that core knows, by id. */
export async function protocols(): Promise<Protocol[]> {
  registry ??= loose().call('protocols', []) as Promise<Protocol[]>;
  return registry;
}

export async function inspect(glb: Uint8Array): Promise<Inspection> {
  return (await loose().call('inspect', [glb])) as Inspection;
}

export async function compare(reference: Uint8Array, candidate: Uint8Array, protocol: string): Promise<Comparison> {
  return (await loose().call('compare', [reference, candidate, protocol])) as Comparison;
}
