import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Claim } from '../api/format';
import { axis, CATEGORY, tableTitle, WHOLE } from '../claims';
import { askForFile, openingCard, problemCard } from '../elements/bundle-gate';
import { SessionElement } from '../elements/session-element';
import { icon } from '../elements/mark';
import '../elements/number-inspector';
import { columnNote, columnTitle, inOrder } from '../measures';
import { count, hash, plural, short } from '../numbers';
import { groupOf } from '../outcomes';
import { boardUrl, runUrl } from '../route';
import { type OpenRun, session } from '../session';

/** Sources by measures, with intervals; every number opens its definition. */
@customElement('mm-board-page')
export class BoardPage extends SessionElement {
  @property({ attribute: false }) root: string | null = null;
  @property({ attribute: false }) query = new URLSearchParams();
  @state() private open: Claim | null = null;
  @state() private chosenRow: string | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#keys);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#keys);
  }

  readonly #keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && this.open && !event.defaultPrevented) this.#close();
  };

  readonly #close = (): void => {
    const back = this.querySelector<HTMLElement>('.cellnum[aria-expanded="true"]');
    this.open = null;
    back?.focus();
  };

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('root') || (this.open && !session.run?.summary.claims.includes(this.open))) this.open = null;
  }

  protected override render(): TemplateResult {
    const { run } = session;
    if (run) return this.#board(run);
    const { site, opening, problem } = session;
    return html`<main id="main" class="page open" tabindex="-1">
      <header class="hd"><div><h1>Leaderboard</h1><p>Sources, what they scored, and how sure that is.</p></div></header>
      ${opening ? openingCard() : nothing} ${problem ? problemCard() : nothing}
      ${site && site.runs.length > 0
        ? html`<section class="panel" aria-labelledby="pick-title">
            <header><h2 id="pick-title">Choose a run</h2></header>
            <ul class="runs">
              ${site.runs.map((offer) => html`<li><a href=${boardUrl(offer.root)}>${offer.name}</a><span class="muted">${offer.benchmark}, ${plural(offer.attempts, 'trial')}</span><span class="hash quiet" title=${offer.root}>${hash(offer.root)}</span></li>`)}
            </ul>
          </section>`
        : html`<section class="panel card">
            <h2 class="lead">No bundle is open.</h2>
            <p>A leaderboard is made from a run bundle, and this site offers none. Drop a <span class="num">.run.zip</span> here, or choose one.</p>
            <p class="act"><button class="btn primary" @click=${askForFile}>Choose a file…</button></p>
          </section>`}
    </main>`;
  }

  #go(run: OpenRun, change: Record<string, string>): void {
    const query = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(change)) {
      if (value === '') query.delete(name);
      else query.set(name, value);
    }
    const search = query.toString();
    location.hash = `${boardUrl(run.root)}${search ? `?${search}` : ''}`;
  }

  #board(run: OpenRun): TemplateResult {
    const { claims, manifest } = run.summary;
    const tables = [...new Set(claims.map((claim) => claim.table))].sort((a, b) => Number(b === WHOLE) - Number(a === WHOLE) || a.localeCompare(b));
    const asked = this.query.get('table') ?? WHOLE;
    const table = tables.includes(asked) ? asked : (tables[0] ?? WHOLE);
    const here = claims.filter((claim) => claim.table === table);
    const columns = inOrder(here.map((claim) => claim.column));
    const by = columns.find((column) => column === this.query.get('by')) ?? columns[0] ?? '';
    const down = (this.query.get('order') ?? (columnNote(by) === 'less is better' ? 'up' : 'down')) === 'down';
    const rows = this.#rows(here, by, down);
    return html`<main id="main" class="page board" tabindex="-1">
      <div class="hd">
        <div>
          <h1>${manifest.run}, ${manifest.benchmark}</h1>
          <p>${plural(manifest.sources.length, 'source')}, ${plural(manifest.counts.items, 'task')}, ${plural(manifest.counts.attempts, 'trial')}. Where 95 % intervals overlap, the order isn’t settled.</p>
        </div>
        <div class="filters">
          <label class="field">Tasks
            <select class="sel" @change=${(event: Event) => this.#go(run, { table: (event.target as HTMLSelectElement).value })}>
              ${tables.map((name) => html`<option value=${name} ?selected=${name === table}>${tableTitle(name)}</option>`)}
            </select>
          </label>
        </div>
      </div>
      <section class="panel" aria-labelledby="board-title">
        <h2 id="board-title" class="sr">Leaderboard</h2>
        ${here.length === 0 ? html`<p class="pad muted">This run claims no aggregates: nothing was measured.</p>` : this.#table(run, here, columns, by, down, rows)}
      </section>
      ${this.open ? html`<aside aria-label="Number"><mm-number .run=${run} .claim=${this.open} @mm-close=${this.#close}></mm-number></aside>` : html`<aside class="hint" aria-label="Number"><p class="muted">Every number opens its definition, its denominator and the same number computed in this browser.</p></aside>`}
      ${this.#byCategory(run, tables, by)}
    </main>`;
  }

  #rows(here: readonly Claim[], by: string, down: boolean): string[] {
    const value = new Map(here.filter((claim) => claim.column === by).map((claim) => [claim.row, claim.value]));
    return [...new Set(here.map((claim) => claim.row))].sort((a, b) => {
      const [left, right] = [value.get(a) ?? null, value.get(b) ?? null];
      if (left === null || right === null) return Number(left === null) - Number(right === null) || a.localeCompare(b);
      return (down ? right - left : left - right) || a.localeCompare(b);
    });
  }

  #table(run: OpenRun, here: readonly Claim[], columns: string[], by: string, down: boolean, rows: string[]): TemplateResult {
    const drawn = here.filter((claim) => claim.column === by);
    const { high, ticks } = axis(drawn.flatMap((claim) => [claim.value ?? 0, ...(claim.ci95 ?? [])]));
    const at = (value: number): string => `${Math.min(100, Math.max(0, (100 * value) / high)).toFixed(2)}%`;
    const chosen = drawn.find((claim) => claim.row === this.chosenRow);
    const band = chosen?.ci95 ? `--sel-lo: ${at(chosen.ci95[0])}; --sel-hi: ${at(chosen.ci95[1])}` : '';
    const sortBy = (column: string): void => this.#go(run, column === by ? { order: down ? 'up' : 'down' } : { by: column, order: '' });
    return html`<table class="lb-table" .style=${band}>
        <thead>
          <tr>
            <th scope="col" class="md">Source</th>
            <th scope="col" class="rt">
              <div class="axhead"><span>${columnTitle(by)}</span><span class="quiet ci-h">95 % interval</span></div>
              <div class="axis"><span class="tk">${ticks.map((tick) => html`<span .style=${`left: ${at(tick)}`}>${Number(tick.toPrecision(3))}</span>`)}</span><span></span></div>
            </th>
            ${columns.map((column) => html`<th scope="col" class="n ms" aria-sort=${column === by ? (down ? 'descending' : 'ascending') : nothing}><button class="sort" @click=${() => sortBy(column)}>${columnTitle(column)}</button><span class="quiet note-of">${columnNote(column)}</span></th>`)}
            <th scope="col" class="n tr">Trials</th>
          </tr>
        </thead>
        <tbody>${rows.map((name) => this.#row(run, here.filter((claim) => claim.row === name), name, columns, by, at, ticks))}</tbody>
      </table>
      <p class="note">
        <span><i class="key"></i>value and 95 % interval</span>
        ${chosen ? html`<span><i class="key b"></i>interval of the chosen row, drawn through all rows</span>` : nothing}
        <span class="ours">${icon('ours')}<span class="muted">our failures, left out of every denominator</span></span>
      </p>`;
  }

  #row(run: OpenRun, claims: readonly Claim[], name: string, columns: string[], by: string, at: (value: number) => string, ticks: number[]): TemplateResult {
    const drawn = claims.find((claim) => claim.column === by);
    const table = claims[0]?.table ?? WHOLE;
    const own = run.summary.attempts.filter((attempt) => attempt.source === name && (table === WHOLE || run.items.get(attempt.item)?.category === table.slice(CATEGORY.length)));
    const ours = own.filter((attempt) => groupOf(attempt.outcome) === 'ours').length;
    const interval = drawn?.ci95;
    const link = runUrl(run.root, new URLSearchParams({ source: name }));
    return html`<tr class=${name === this.chosenRow ? 'chosen' : nothing} @click=${() => (this.chosenRow = name)}>
      <th scope="row" class="md"><a href=${link} @focus=${() => (this.chosenRow = name)}>${name}</a></th>
      <td class="rt">
        <div class="ratecell">
          <span class="iv" aria-hidden="true">
            ${ticks.map((tick) => html`<span class="gl" .style=${`left: ${at(tick)}`}></span>`)}
            ${interval ? html`<span class="bar" .style=${`left: ${at(interval[0])}; width: calc(${at(interval[1])} - ${at(interval[0])})`}></span>` : nothing}
            ${drawn?.value === null || drawn?.value === undefined ? nothing : html`<span class="tick" .style=${`left: ${at(drawn.value)}`}></span>`}
          </span>
          <span class="num ci">${interval ? `${short(interval[0])}–${short(interval[1])}` : 'none'}</span>
        </div>
      </td>
      ${columns.map((column) => {
        const claim = claims.find((candidate) => candidate.column === column);
        if (!claim) return html`<td class="n ms">–</td>`;
        return html`<td class="n ms">
          <span class="only-s small muted">${columnTitle(column)}</span>
          <button class="cellnum ${column === by ? 'val' : ''}" aria-expanded=${this.open === claim} aria-label=${`${columnTitle(column)} of ${name}: ${short(claim.value)}`} @click=${() => (this.open = this.open === claim ? null : claim)}>${short(claim.value)}</button>
        </td>`;
      })}
      <td class="n tr">
        <span class="only-s small muted">Trials</span> ${count(own.length)}
        ${ours > 0 ? html`<a class="o ours" href=${runUrl(run.root, new URLSearchParams({ source: name, outcome: 'ours' }))} title=${`${ours} of ${own.length} failed on our side and are left out`}>${icon('ours')}<span class="sr">of these failed on our side: </span>${ours}</a>` : html`<span class="o"></span>`}
      </td>
    </tr>`;
  }

  #byCategory(run: OpenRun, tables: readonly string[], by: string): TemplateResult | typeof nothing {
    const categories = tables.filter((table) => table.startsWith(CATEGORY));
    if (categories.length === 0) return nothing;
    const sources = run.summary.manifest.sources.map((source) => source.id);
    const find = new Map(run.summary.claims.filter((claim) => claim.column === by).map((claim) => [`${claim.table}/${claim.row}`, claim]));
    return html`<section class="panel by-cat" aria-labelledby="cat-title">
      <header><h2 id="cat-title">By category</h2><span class="small muted">${columnTitle(by)}, with the number of trials</span></header>
      <div class="wide" tabindex="0" role="group" aria-labelledby="cat-title">
        <table>
          <thead><tr><th scope="col">Category</th>${sources.map((source) => html`<th scope="col" class="n">${source}</th>`)}</tr></thead>
          <tbody>
            ${categories.map(
              (table) => html`<tr>
                <th scope="row"><a href=${`${boardUrl(run.root)}?table=${encodeURIComponent(table)}`}>${tableTitle(table)}</a></th>
                ${sources.map((source) => {
                  const claim = find.get(`${table}/${source}`);
                  return claim
                    ? html`<td class="n"><button class="cellnum" aria-expanded=${this.open === claim} aria-label=${`${columnTitle(by)} of ${source}, ${tableTitle(table)}: ${short(claim.value)}`} @click=${() => (this.open = this.open === claim ? null : claim)}>${short(claim.value)}</button> <span class="quiet">${count(claim.n)}</span></td>`
                    : html`<td class="n">–</td>`;
                })}
              </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </section>`;
  }
}
