/** The frame of every page: bar, page, provenance strip, and files dropped anywhere. */
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import './elements/key-help';
import { SessionElement } from './elements/session-element';
import { icon, key, mark } from './elements/mark';
import { chooseFiles } from './elements/file-chooser';
import { shortcut } from './elements/shortcuts';
import './elements/bundle-gate';
import { hash } from './numbers';
import './pages/open-page';
import { boardUrl, parse, type Route, runUrl, verifyUrl } from './route';
import { session } from './session';

/** Pages other than the first are fetched when they are first shown. */
const PAGES: Record<Exclude<Route['page'], 'open' | 'unknown'>, () => Promise<unknown>> = {
  compare: () => import('./pages/compare-page'),
  board: () => import('./pages/board-page'),
  run: () => import('./pages/run-page'),
  trial: () => import('./pages/trial-page'),
  verify: () => import('./pages/verify-page'),
};

@customElement('mm-app')
export class App extends SessionElement {
  @state() private route: Route = parse(location.hash);
  @state() private dropping = false;
  @state() private loadProblem: string | null = null;
  #shown = '';

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('hashchange', this.#navigated);
    addEventListener('keydown', this.#keys);
    addEventListener('dragover', this.#dragOver);
    addEventListener('dragleave', this.#dragLeave);
    addEventListener('drop', this.#drop);
    addEventListener('mm-open', this.#open);
    void session.offers();
    this.#enter();
  }

  readonly #navigated = (): void => {
    const before = this.route.page;
    this.route = parse(location.hash);
    this.#enter();
    if (this.route.page !== before) {
      scrollTo(0, 0);
      void this.updateComplete.then(() => this.querySelector<HTMLElement>('#main')?.focus());
    }
  };

  #enter(): void {
    const { page } = this.route;
    this.loadProblem = null;
    if (page !== 'open' && page !== 'unknown') {
      PAGES[page]().catch(() => {
        this.loadProblem = 'A part of this page could not be loaded. Reload the page; if that does not help, the site’s files are incomplete.';
      });
    }
    if ('root' in this.route && this.route.root) void session.ensure(this.route.root);
  }

  readonly #keys = (event: KeyboardEvent): void => {
    if (shortcut(event) === '?') this.#help();
  };

  readonly #help = (): void => this.querySelector('mm-key-help')?.open();

  readonly #dragOver = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.dropping = true;
  };

  readonly #dragLeave = (event: DragEvent): void => {
    if (event.relatedTarget === null) this.dropping = false;
  };

  readonly #drop = (event: DragEvent): void => {
    this.dropping = false;
    if (event.defaultPrevented || !event.dataTransfer?.files.length) return;
    event.preventDefault();
    void this.#take([...event.dataTransfer.files]);
  };

  readonly #open = (): void => {
    void chooseFiles('.zip,.glb', true).then((files) => this.#take(files));
  };

  async #take(files: File[]): Promise<void> {
    if (files.length === 0) return;
    const page = await session.take(files);
    if (page === 'compare') location.hash = '#/compare';
    else if (page === 'run' && session.run) {
      // A file dropped on the verify page or the leaderboard is wanted there.
      const here = this.route.page;
      const { root } = session.run;
      location.hash = here === 'verify' ? verifyUrl(root) : here === 'board' ? boardUrl(root) : runUrl(root);
    } else if (page === null && this.route.page !== 'verify') location.hash = '#/';
  }

  protected override render(): TemplateResult {
    const { run } = session;
    return html`<a class="skip" href="#main" @click=${this.#skip}>Skip to content</a>
      ${this.#top()} ${this.#page()}
      <footer class="foot">
        ${run ? this.#provenance() : html`<span>Files are read in this browser and sent nowhere.</span>`}
        <button class="btn plain sm hide-s" @click=${this.#help}>Keys ${key('?')}</button>
        <span class="end">${icon('lock')} No request leaves this page’s origin</span>
      </footer>
      <mm-key-help></mm-key-help>
      ${this.dropping ? html`<div class="drop-veil"><p>Drop a run bundle, or one or two meshes</p></div>` : nothing}
      <div class="sr" role="status" aria-live="polite">${this.#announcement()}</div>`;
  }

  /** The skip link must not become an address of a page. */
  readonly #skip = (event: Event): void => {
    event.preventDefault();
    this.querySelector<HTMLElement>('#main')?.focus();
  };

  #top(): TemplateResult {
    const { run, site, opening } = session;
    const { page } = this.route;
    const root = run?.root ?? null;
    const link = (href: string, title: string, current: boolean): TemplateResult =>
      html`<a href=${href} aria-current=${current ? 'page' : nothing}>${title}</a>`;
    const first = site?.runs[0]?.root ?? null;
    return html`<header class="top">
      <a class="brand" href="#/">${icon('mark')}<span>Meshmark</span></a>
      <nav aria-label="Pages">
        ${link(boardUrl(root), 'Leaderboard', page === 'board')}
        ${root || first ? link(runUrl(root ?? first ?? ''), 'Run', page === 'run' || page === 'trial') : nothing}
        ${link(verifyUrl(root), 'Verify', page === 'verify')} ${link('#/compare', 'Compare', page === 'compare')}
      </nav>
      <div class="end">
        ${run ? html`<span class="small muted file-name" title=${run.name}>${run.name}</span>` : nothing}
        <button class="btn sm" ?disabled=${opening !== null} @click=${this.#open}>${run ? 'Open another…' : 'Open a file…'}</button>
      </div>
    </header>`;
  }

  #page(): TemplateResult {
    if (this.loadProblem) {
      return html`<main id="main" class="page" tabindex="-1">
        <p class="problem" role="alert">${icon('err', 'ico fail')} ${this.loadProblem}</p>
      </main>`;
    }
    const { route } = this;
    switch (route.page) {
      case 'open':
        return html`<mm-open-page></mm-open-page>`;
      case 'compare':
        return html`<mm-compare-page></mm-compare-page>`;
      case 'board':
        return this.#gate(
          route.root,
          () => html`<mm-board-page .root=${route.root} .query=${route.query}></mm-board-page>`,
        );
      case 'run':
        return this.#gate(route.root, () => html`<mm-run-page .query=${route.query}></mm-run-page>`);
      case 'trial':
        return this.#gate(route.root, () => html`<mm-trial-page .trial=${route.trial}></mm-trial-page>`);
      case 'verify':
        return html`<mm-verify-page .root=${route.root}></mm-verify-page>`;
      case 'unknown':
        return html`<main id="main" class="page" tabindex="-1">
          <h1>There is no page at this address</h1>
          <p class="muted">The link may have been cut short. <a href="#/">Open a bundle</a> and find the trial in its table.</p>
        </main>`;
    }
  }

  /** Pages about a bundle wait until that very bundle is open. */
  #gate(root: string | null, page: () => TemplateResult): TemplateResult {
    if (root === null || session.run?.root === root) return page();
    return html`<mm-bundle-gate .root=${root}></mm-bundle-gate>`;
  }

  #provenance(): TemplateResult | typeof nothing {
    const { run } = session;
    if (!run) return nothing;
    const checks = run.claimChecks;
    const differ = checks?.filter((check) => check.verdict === 'differs').length ?? 0;
    const agree = checks?.filter((check) => check.verdict === 'agrees').length ?? 0;
    const verdict = !checks
      ? mark('unk', 'Claims not recomputed yet')
      : differ > 0
        ? mark('diff', html`Recomputed in this browser: <strong>${differ} of ${agree + differ} claims differ</strong>`)
        : mark('ok', html`Recomputed in this browser: <strong>${agree} of ${agree} claims agree</strong>`);
    return html`<span>${verdict}</span> <a href=${verifyUrl(run.root)}>Show all claims</a>
      <span class="hide-s">Bundle <span class="hash" title=${`sha256 ${run.root}`}>sha256 ${hash(run.root)}</span></span>`;
  }

  #announcement(): string {
    const { opening, problem } = session;
    if (opening) return `Opening ${opening.name}.`;
    return problem ? '' : this.#shown;
  }

  protected override updated(): void {
    const title = this.#title();
    if (title === this.#shown) return;
    this.#shown = title;
    document.title = title === '' ? 'Meshmark' : `${title} · Meshmark`;
  }

  #title(): string {
    const { route } = this;
    const run = session.run?.summary.manifest.run ?? 'run';
    switch (route.page) {
      case 'open':
        return '';
      case 'compare':
        return 'Compare two meshes';
      case 'board':
        return 'Leaderboard';
      case 'run':
        return `Run ${run}`;
      case 'trial':
        return `${route.trial.item}, ${route.trial.source}`;
      case 'verify':
        return 'Verify';
      case 'unknown':
        return 'No such page';
    }
  }
}
