import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import '../elements/facet-list';
import { SessionElement } from '../elements/session-element';
import { icon, key, mark, outcomeMark, shape } from '../elements/mark';
import { RowWindow } from '../elements/row-window';
import { shortcut } from '../elements/shortcuts';
import '../elements/stored-picture';
import { count, percent, plural, short } from '../numbers';
import { GROUPS, groupOf, reason, tally } from '../outcomes';
import { boardUrl, runUrl, trialUrl } from '../route';
import { type OpenRun, session } from '../session';
import { FACETS, type Facet, type Filter, isEmpty, passing, read, type Row, row, type Sort, sorted, toggled, write } from '../trial-filter';

const COLUMNS: [Sort, string, string][] = [
  ['task', 'Task', 'c-task'],
  ['category', 'Category', 'c-cat'],
  ['source', 'Source', 'c-src'],
  ['outcome', 'Outcome', 'c-out'],
  ['chamfer', 'Chamfer', 'c-num n'],
  ['time', 'Time, s', 'c-num n'],
];

/** Every trial of a run: counts, filters, and a table that stays quick with thousands of rows. */
@customElement('mm-run-page')
export class RunPage extends SessionElement {
  @property({ attribute: false }) query = new URLSearchParams();
  @state() private chosen = 0;
  @state() private sheet = false;
  readonly #window = new RowWindow(this, () => (innerWidth <= 600 ? 88 : 52));
  #run: OpenRun | null = null;
  #rows: Row[] = [];
  #shown: Row[] = [];
  #filter: Filter = read(new URLSearchParams());

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#keys);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#keys);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const { run } = session;
    const other = run !== this.#run;
    if (other) {
      this.#run = run;
      const seconds = new Map(run?.summary.timing.map((line) => [`${line.item}/${line.source}/${line.sample}/${line.turn}`, line.seconds['total'] ?? line.seconds['script'] ?? null]));
      this.#rows =
        run?.summary.attempts.map((attempt, index) =>
          row(index, attempt, run.items.get(attempt.item), seconds.get(`${attempt.item}/${attempt.source}/${attempt.sample}/${attempt.turn}`) ?? null),
        ) ?? [];
    }
    if (!other && !changed.has('query')) return;
    const before = this.#shown[this.chosen]?.index ?? session.order[0] ?? 0;
    this.#filter = read(this.query);
    this.#shown = sorted(passing(this.#rows, this.#filter), this.#filter);
    this.chosen = Math.max(0, this.#shown.findIndex((shown) => shown.index === before));
    session.order = this.#shown.map((shown) => shown.index);
    session.runAddress = run ? runUrl(run.root, this.query) : null;
  }

  /** A new filter is a new address, so that it can be shared and undone. */
  #go(filter: Filter, replace = false): void {
    if (!this.#run) return;
    const address = runUrl(this.#run.root, write(filter));
    if (replace) {
      history.replaceState(null, '', address);
      dispatchEvent(new HashChangeEvent('hashchange'));
    } else location.hash = address;
  }

  readonly #keys = (event: KeyboardEvent): void => {
    const pressed = shortcut(event);
    const inTable = event.target instanceof Node && this.querySelector('.scroll')?.contains(event.target);
    if (pressed === 'j' || (pressed === 'ArrowDown' && inTable)) this.#choose(this.chosen + 1);
    else if (pressed === 'k' || (pressed === 'ArrowUp' && inTable)) this.#choose(this.chosen - 1);
    else if (pressed === 'Home' && inTable) this.#choose(0);
    else if (pressed === 'End' && inTable) this.#choose(this.#shown.length - 1);
    else if (pressed === '/') this.querySelector<HTMLElement>('#search')?.focus();
    else if (pressed === 'f') this.#focusFilters();
    else if (pressed === 'Enter' && (event.target === document.body || event.target === this.querySelector('#main'))) {
      const attempt = this.#shown[this.chosen]?.attempt;
      if (attempt && this.#run) location.hash = trialUrl(this.#run.root, attempt);
    } else return;
    event.preventDefault();
  };

  #focusFilters(): void {
    this.sheet = true;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('.side input')?.focus());
  }

  /** Chooses a row and puts the focus on its link. */
  #choose(index: number): void {
    const next = Math.min(Math.max(index, 0), this.#shown.length - 1);
    if (next < 0) return;
    this.chosen = next;
    this.#window.reveal(next);
    this.#window.measure();
    requestAnimationFrame(() => this.querySelector<HTMLElement>(`tr[data-index="${next}"] a`)?.focus({ preventScroll: true }));
  }

  #sort(sort: Sort): void {
    const { sort: now, down } = this.#filter;
    // First upwards, then downwards, then as the run has them.
    this.#go(now !== sort ? { ...this.#filter, sort, down: false } : !down ? { ...this.#filter, down: true } : { ...this.#filter, sort: null, down: false });
  }

  protected override render(): TemplateResult | typeof nothing {
    const run = this.#run;
    if (!run) return nothing;
    return html`<main id="main" class="run" tabindex="-1">
      <aside class="side ${this.sheet ? 'open' : ''}" aria-label="Filters">
        <div class="sheet-head only-m"><h2>Filters</h2><button class="btn sm" @click=${() => (this.sheet = false)}>Show ${plural(this.#shown.length, 'trial')}</button></div>
        ${FACETS.map(
          (facet) => html`<mm-facets
            .facet=${facet}
            .rows=${passing(this.#rows, this.#filter, facet)}
            .chosen=${this.#filter.chosen[facet]}
            @mm-toggle=${(event: CustomEvent<string>) => this.#go(toggled(this.#filter, facet, event.detail))}
          ></mm-facets>`,
        )}
      </aside>
      <div class="main">${this.#head(run)} ${this.#tools()} ${this.#shown.length === 0 ? this.#nothing() : this.#table(run)} ${this.#keyLine()}</div>
    </main>`;
  }

  #head(run: OpenRun): TemplateResult {
    const { manifest, attempts, items } = run.summary;
    const { executed, model, ours } = tally(attempts);
    const ran = executed + model;
    const cost = attempts.reduce((sum, attempt) => sum + (attempt.cost_usd ?? 0), 0);
    const part = (n: number, classes: string): TemplateResult | typeof nothing => (n > 0 ? html`<i class=${classes} .style=${`flex: ${n}`}></i>` : nothing);
    return html`<div class="rh">
        <div>
          <h1>${manifest.run}</h1>
          <p>
            ${manifest.benchmark}: ${plural(manifest.sources.length, 'source')}, ${plural(items.length, 'task')},
            ${plural(attempts.length, 'trial')}.${cost > 0 ? html` Cost <span class="num">$${cost.toFixed(2)}</span>.` : nothing}
          </p>
        </div>
        <div class="end hide-s"><a class="btn" href=${boardUrl(run.root)}>Leaderboard</a></div>
      </div>
      <div class="oc-bar">
        <div class="b" aria-hidden="true">${part(executed, 'fill-ok')}${part(model, 'hatch')}${part(ours, 'fill-ours')}</div>
        <div class="l">
          ${mark('ok', html`<span class="num">${count(executed)}</span> executed, <span class="num">${percent(executed, ran)}</span> of <span class="num">${count(ran)}</span>`)}
          ${mark('fail', html`<span class="num">${count(model)}</span> model ${model === 1 ? 'failure' : 'failures'}`)}
          ${mark('ours', html`<span class="num">${count(ours)}</span> ours, left out of every denominator`)}
        </div>
      </div>`;
  }

  #tools(): TemplateResult {
    const filters = FACETS.reduce((sum, facet) => sum + this.#filter.chosen[facet].size, 0);
    return html`<div class="tools">
      <div class="srch">
        ${icon('search')}
        <input id="search" class="inp" type="search" aria-label="Search the trials" placeholder="Task, prompt, source or error" .value=${this.#filter.text} @input=${this.#search} @keydown=${this.#searchKeys} />
        ${key('/')}
      </div>
      <button class="btn only-m" aria-expanded=${this.sheet} @click=${() => (this.sheet = true)}>Filter${filters > 0 ? html` <span class="num">${filters}</span>` : nothing}</button>
      <div class="end">
        <span class="small muted" role="status"><span class="num">${count(this.#shown.length)}</span> ${this.#shown.length === 1 ? 'trial' : 'trials'}${this.#filter.sort ? nothing : ', in the order of the run'}</span>
        ${isEmpty(this.#filter) ? nothing : html`<button class="btn plain sm" @click=${this.#clear}>Clear filters</button>`}
      </div>
    </div>`;
  }

  readonly #search = (event: Event): void => this.#go({ ...this.#filter, text: (event.target as HTMLInputElement).value }, true);

  readonly #searchKeys = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault();
      this.#choose(0);
    }
  };

  readonly #clear = (): void => this.#go({ ...read(new URLSearchParams()), sort: this.#filter.sort, down: this.#filter.down });

  #nothing(): TemplateResult {
    // What the reader could drop: the facet without which most would be shown.
    const drops = FACETS.filter((facet) => this.#filter.chosen[facet].size > 0)
      .map((facet) => ({ facet, left: passing(this.#rows, this.#filter, facet).length }))
      .sort((a, b) => b.left - a.left);
    const best = drops[0];
    const without = (facet: Facet): void => this.#go({ ...this.#filter, chosen: { ...this.#filter.chosen, [facet]: new Set() } });
    return html`<section class="empty">
      <h2>No trial matches${this.#filter.text ? html` “${this.#filter.text}” and` : nothing} these filters.</h2>
      ${best && best.left > 0 ? html`<p class="muted">Without the filter by ${best.facet} there would be <span class="num">${count(best.left)}</span>.</p>` : nothing}
      <p class="act">
        ${best && best.left > 0 ? html`<button class="btn" @click=${() => without(best.facet)}>Drop that filter</button>` : nothing}
        <button class="btn plain" @click=${this.#clear}>Clear all</button>
      </p>
    </section>`;
  }

  #table(run: OpenRun): TemplateResult {
    const { above, below } = this.#window.fill(this.#shown.length);
    const { first, last } = this.#window;
    const { sort, down } = this.#filter;
    const filler = (height: number): TemplateResult | typeof nothing => (height > 0 ? html`<tr class="filler" aria-hidden="true"><td colspan="7" .style=${`height: ${height}px`}></td></tr>` : nothing);
    return html`<div class="scroll" tabindex="-1">
      <table aria-label="Trials" aria-rowcount=${this.#shown.length + 1}>
        <thead>
          <tr aria-rowindex="1">
            <th scope="col" class="c-thumb">Result, reference</th>
            ${COLUMNS.map(([name, title, classes]) => html`<th scope="col" class=${classes} aria-sort=${sort === name ? (down ? 'descending' : 'ascending') : nothing}><button class="sort" @click=${() => this.#sort(name)}>${title}</button></th>`)}
          </tr>
        </thead>
        <tbody>
          ${filler(above)}
          ${repeat(this.#shown.slice(first, last), (shown) => shown.index, (shown, offset) => this.#row(run, shown, first + offset))}
          ${filler(below)}
        </tbody>
      </table>
    </div>`;
  }

  #row(run: OpenRun, { attempt, item, chamfer, seconds }: Row, index: number): TemplateResult {
    const why = reason(attempt.outcome);
    const turn = `${attempt.sample > 0 ? `, sample ${attempt.sample + 1}` : ''}${attempt.turn > 0 ? `, turn ${attempt.turn + 1}` : ''}`;
    const group = GROUPS[groupOf(attempt.outcome)];
    const thumb = (path: string | undefined): TemplateResult =>
      path ? html`<span class="thumb"><mm-picture .pictures=${run.pictures} .path=${path}></mm-picture></span>` : html`<span class="thumb none"></span>`;
    const result = attempt.views?.[0]?.picture;
    return html`<tr data-index=${index} aria-rowindex=${index + 2} class=${index === this.chosen ? 'chosen' : nothing} @click=${(event: MouseEvent) => this.#clicked(event, index)}>
      <td class="c-thumb" aria-hidden="true">
        ${result || attempt.mesh ? thumb(result) : html`<span class="thumb none">${shape(group.mark)}</span>`}${thumb(item?.reference.views?.[0]?.picture)}
      </td>
      <td class="c-task">
        <a class="num" href=${trialUrl(run.root, attempt)} @focus=${() => (this.chosen = index)}>${attempt.item}</a>
        <span class="pr">${item?.prompt}</span>
      </td>
      <td class="c-cat">${item?.category}</td>
      <td class="c-src">${attempt.source}${turn}</td>
      <td class="c-out">${outcomeMark(attempt.outcome)}${why ? html`<span class="cl">${why}</span>` : nothing}</td>
      <td class="c-num n c-cd">${short(chamfer)}</td>
      <td class="c-num n c-tm">${seconds === null ? '–' : seconds.toFixed(1)}</td>
    </tr>`;
  }

  /** The whole row is a way in for the mouse; the link in it serves everyone else. */
  #clicked(event: MouseEvent, index: number): void {
    this.chosen = index;
    if (event.target instanceof Element && event.target.closest('a')) return;
    this.querySelector<HTMLElement>(`tr[data-index="${index}"] a`)?.click();
  }

  #keyLine(): TemplateResult {
    return html`<div class="keys" aria-hidden="true">
      <span><kbd>j</kbd><kbd>k</kbd> move</span><span><kbd>Enter</kbd> open</span><span><kbd>f</kbd> filters</span><span><kbd>/</kbd> search</span><span><kbd>?</kbd> all keys</span>
    </div>`;
  }
}
