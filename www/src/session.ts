/** What is open in this tab: one bundle, or two loose meshes. Pages read it and are told when it changes. */
import type { Attempt, Item } from './api/format';
import { download, RequestFailed, type Site, site, type SiteRun } from './api/client';
import { asRefusal, type Check, type Refusal, type Report, type Summary } from './engine/contract';
import { Pictures } from './pictures';
import type { Trial } from './route';
import { Bundle } from './engine/scores';

/** A bundle, opened. */
export class OpenRun {
  readonly summary: Summary;
  readonly items: ReadonlyMap<string, Item>;
  readonly pictures: Pictures;
  /** What this browser makes of the aggregates; null until it has computed them. */
  claimChecks: Check[] | null = null;
  /** The same for single attempts, by position. */
  readonly attemptChecks = new Map<number, Check[]>();
  report: Report | null = null;
  readonly #index: ReadonlyMap<string, number>;

  constructor(
    readonly name: string,
    readonly bundle: Bundle,
  ) {
    this.summary = bundle.summary;
    this.items = new Map(this.summary.items.map((item) => [item.id, item]));
    this.#index = new Map(this.summary.attempts.map((attempt, index) => [key(attempt), index]));
    this.pictures = new Pictures((path) => bundle.entry(path));
  }

  get root(): string {
    return this.summary.root;
  }

  /** Position of an attempt in `attempts`, or -1. */
  indexOf(trial: Trial): number {
    return this.#index.get(key(trial)) ?? -1;
  }

  attempt(trial: Trial): Attempt | undefined {
    return this.summary.attempts[this.indexOf(trial)];
  }

  /** Computes every aggregate again, once. */
  async checkClaims(): Promise<Check[]> {
    this.claimChecks = await this.bundle.recomputeClaims();
    return this.claimChecks;
  }

  close(): void {
    this.pictures.clear();
    this.bundle.close();
  }
}

const key = ({ item, source, sample, turn }: Trial): string => `${item}/${source}/${sample}/${turn}`;

/** A file on its way in. */
export interface Opening {
  name: string;
  received: number;
  total: number | null;
}

/** A file that could not be opened. */
export interface Problem {
  name: string;
  refusal: Refusal;
}

/** A mesh that was handed in by itself. */
export interface LooseMesh {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The largest file that is read as a loose mesh. */
const MAX_MESH_BYTES = 512 * 1024 * 1024;

class Session extends EventTarget {
  run: OpenRun | null = null;
  opening: Opening | null = null;
  problem: Problem | null = null;
  /** Null until `runs.json` was read. */
  site: Site | null = null;
  /** Reference and candidate of the compare page. */
  pair: [LooseMesh | null, LooseMesh | null] = [null, null];
  /** Positions of the trials as the run's table last showed them, and that table's address with its filters. */
  order: readonly number[] = [];
  runAddress: string | null = null;
  #abort: AbortController | null = null;
  #site: Promise<Site> | undefined;

  /** Reads what the site offers, once. */
  async offers(): Promise<Site> {
    this.#site ??= site().catch((thrown: unknown) => {
      if (!(thrown instanceof RequestFailed)) throw thrown;
      return { runs: [], api: null };
    });
    this.site = await this.#site;
    this.#changed();
    return this.site;
  }

  /** Takes files as they were dropped or chosen. Says which page shows them. */
  async take(files: readonly File[]): Promise<'run' | 'compare' | null> {
    this.problem = null;
    const meshes = files.filter((file) => /\.glb$/i.test(file.name));
    const bundle = files.find((file) => /\.zip$/i.test(file.name));
    if (bundle) return (await this.#open(bundle.name, bundle)) ? 'run' : null;
    if (meshes.length === 0) {
      const name = files[0]?.name ?? 'Nothing';
      this.#refuse(name, 'not_readable_here', `${name} is neither a run bundle (.run.zip) nor a mesh (.glb). Choose one of these.`);
      return null;
    }
    for (const mesh of meshes.slice(0, 2)) {
      if (!(await this.#takeMesh(mesh, meshes.length > 1 ? meshes.indexOf(mesh) : null))) return null;
    }
    this.#changed();
    return 'compare';
  }

  async setMesh(slot: 0 | 1, file: File): Promise<void> {
    this.problem = null;
    await this.#takeMesh(file, slot);
    this.#changed();
  }

  swapPair(): void {
    this.pair = [this.pair[1], this.pair[0]];
    this.#changed();
  }

  /** Downloads and opens a run that the site offers. */
  async openSiteRun(run: SiteRun): Promise<boolean> {
    this.cancel();
    this.problem = null;
    const abort = new AbortController();
    this.#abort = abort;
    this.opening = { name: run.name, received: 0, total: null };
    this.#changed();
    try {
      const blob = await download(
        run.url,
        (received, total) => {
          this.opening = { name: run.name, received, total };
          this.#changed();
        },
        abort.signal,
      );
      return await this.#open(run.name, blob);
    } catch (thrown) {
      if (abort.signal.aborted) return false;
      this.opening = null;
      this.#refuse(run.name, 'download', asRefusal(thrown).message);
      return false;
    }
  }

  /** Opens the bundle that an address names, where the site has it. */
  async ensure(root: string): Promise<void> {
    if (this.run?.root === root || this.opening) return;
    const offered = (await this.offers()).runs.find((run) => run.root === root);
    if (offered && this.run?.root !== root && !this.opening) await this.openSiteRun(offered);
  }

  /** Takes a refusal off the page. */
  dismiss(): void {
    this.problem = null;
    this.#changed();
  }

  /** Tells the pages that something inside the open run was computed. */
  touch(): void {
    this.#changed();
  }

  cancel(): void {
    this.#abort?.abort();
    this.#abort = null;
    this.opening = null;
    this.#changed();
  }

  async #open(name: string, blob: Blob): Promise<boolean> {
    performance.mark('meshmark:open');
    this.opening = { name, received: blob.size, total: blob.size };
    this.#changed();
    try {
      const bundle = await Bundle.open(blob);
      this.run?.close();
      this.run = new OpenRun(name, bundle);
      this.order = [];
      this.runAddress = null;
      performance.mark('meshmark:opened');
      void this.#checkClaims(this.run);
      return true;
    } catch (thrown) {
      this.problem = { name, refusal: asRefusal(thrown) };
      return false;
    } finally {
      this.opening = null;
      this.#changed();
    }
  }

  /** Aggregates are cheap: every bundle's are computed again as soon as it is open. */
  async #checkClaims(run: OpenRun): Promise<void> {
    try {
      await run.checkClaims();
    } catch {
      // The strip keeps saying that nothing was recomputed; the verify page shows the reason when asked.
    }
    this.#changed();
  }

  /** Into the slot named, else into the first that is free. */
  async #takeMesh(file: File, slot: number | null): Promise<boolean> {
    if (file.size > MAX_MESH_BYTES) {
      this.#refuse(file.name, 'too_large', `${file.name} has ${file.size} bytes; ${MAX_MESH_BYTES} is the limit of this page. Use meshmark compare.`);
      return false;
    }
    const mesh = { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
    this.pair[slot === 0 || (slot === null && !this.pair[0]) ? 0 : 1] = mesh;
    return true;
  }

  #refuse(name: string, kind: string, message: string): void {
    this.problem = { name, refusal: { kind, where: '', message } };
    this.#changed();
  }

  #changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}

export const session = new Session();
