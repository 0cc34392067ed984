import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Claim } from '../api/format';
import { CATEGORY, checkOf, numberIn, tableTitle, WHOLE } from '../claims';
import { asRefusal } from '../engine/contract';
import { columnTitle } from '../measures';
import { count, duration, full, plural, short } from '../numbers';
import { groupOf } from '../outcomes';
import { runUrl } from '../route';
import { type OpenRun, session } from '../session';
import { LightElement } from './light-element';
import { key, mark } from './mark';
import './protocol-card';

/** One number: definition, protocol, denominator, inputs, and the same number computed here. */
@customElement('mm-number')
export class NumberInspector extends LightElement {
  @property({ attribute: false }) run: OpenRun | null = null;
  @property({ attribute: false }) claim: Claim | null = null;
  @state() private busy = false;
  @state() private took: number | null = null;
  @state() private problem = '';

  readonly #recompute = async (): Promise<void> => {
    const { run } = this;
    if (!run || this.busy) return;
    this.busy = true;
    this.problem = '';
    const start = performance.now();
    try {
      await run.checkClaims();
      this.took = (performance.now() - start) / 1000;
      session.touch();
    } catch (thrown) {
      this.problem = asRefusal(thrown).message;
    }
    this.busy = false;
  };

  protected override render(): TemplateResult | typeof nothing {
    const { run, claim } = this;
    if (!run || !claim) return nothing;
    const { table, row, column, value, protocol, n, ci95 } = claim;
    const own = run.summary.attempts.filter((attempt) => attempt.source === row && (table === WHOLE || run.items.get(attempt.item)?.category === table.slice(CATEGORY.length)));
    const ours = own.filter((attempt) => groupOf(attempt.outcome) === 'ours').length;
    const query = new URLSearchParams({ source: row });
    if (table.startsWith(CATEGORY)) query.set('category', table.slice(CATEGORY.length));
    const all = runUrl(run.root, query);
    query.set('outcome', 'ours');
    return html`<section class="panel" aria-labelledby="number-title">
      <header>
        <h2 id="number-title">${row} · ${columnTitle(column).toLowerCase()}</h2>
        <span class="end"><button class="btn plain sm" @click=${() => this.dispatchEvent(new Event('mm-close'))}>Close ${key('Esc')}</button></span>
      </header>
      <div class="insp">
        <p class="big"><span class="num" title=${value === null ? '' : full(value)}>${short(value)}</span> <span class="muted">over ${plural(n, 'trial')}, ${tableTitle(table).toLowerCase()}</span></p>
        <dl class="facts">
          ${ci95 ? html`<dt>95 % interval</dt><dd class="num">${short(ci95[0])} to ${short(ci95[1])}</dd>` : nothing}
          <dt>Left out</dt>
          <dd>${ours === 0 ? 'nothing failed on our side' : html`<a href=${runUrl(run.root, query)}>${plural(ours, 'trial')} failed on our side</a>`}</dd>
          <dt>Inputs</dt><dd><a href=${all}>${plural(own.length, 'line')} of <span class="num">attempts.jsonl</span></a></dd>
        </dl>
        <mm-protocol .protocol=${protocol}></mm-protocol>
        ${this.#comparison(run, claim)}
      </div>
    </section>`;
  }

  #comparison(run: OpenRun, claim: Claim): TemplateResult {
    const check = checkOf(run.claimChecks, claim);
    const differs = check?.verdict === 'differs';
    const agrees = check?.verdict === 'agrees';
    const number = (checked: unknown): string => {
      const value = numberIn(checked);
      return value === null ? 'no value' : full(value);
    };
    return html`<div class="cmp ${differs ? 'bad' : agrees ? 'good' : ''}" role="status">
      <div>
        ${this.problem
          ? mark('err', this.problem)
          : differs
            ? mark('diff', html`This browser got <span class="num">${number(check.recomputed)}</span>`)
            : agrees
              ? mark('ok', html`This browser got <span class="num">${number(check.recomputed)}</span> too`)
              : mark('unk', check?.reason ?? 'Not checked yet')}
        ${check && check.verdict !== 'not_checkable'
          ? html`<p class="small muted">The bundle says <span class="num">${number(check.claimed)}</span>${agrees ? '; equal to the last digit, as are denominator and interval' : ': don’t cite this number'}${this.took !== null ? `, in ${duration(this.took)}` : nothing}.</p>`
          : nothing}
      </div>
      <button class="btn sm" ?disabled=${this.busy} @click=${this.#recompute}>${this.busy ? 'Computing…' : 'Recompute here'}</button>
    </div>
    <p class="small quiet">Aggregates of ${count(run.summary.attempts.length)} lines; meshes are recomputed on the trial and verify pages.</p>`;
  }
}
