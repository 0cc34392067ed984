import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Attempt, Measurement } from '../api/format';
import { asRefusal, type Check } from '../engine/contract';
import { measureTitle } from '../measures';
import { duration, full } from '../numbers';
import type { OpenRun } from '../session';
import { session } from '../session';
import { LightElement } from './light-element';
import { mark } from './mark';
import './protocol-card';

const NEEDS = {
  server: 'Not checked: needs Blender or the encoders on a server',
  never: 'Can’t be repeated',
};

/** A value with all the digits that it has. */
function digits(value: unknown): string {
  if (typeof value === 'number') return full(value);
  return value === null || value === undefined ? '–' : String(value);
}

/** A number, or what a mesh holds. */
function brief(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'triangles' in value) return `${String(value.triangles)} triangles`;
  return digits(value);
}

/** The numbers of one trial, and what this browser makes of them. */
@customElement('mm-score-table')
export class ScoreTable extends LightElement {
  @property({ attribute: false }) run: OpenRun | null = null;
  @property({ attribute: false }) index = -1;
  @state() private busy = false;
  @state() private took: number | null = null;
  @state() private problem = '';
  @state() private explained: string | null = null;

  #checks(): Check[] | undefined {
    return this.run?.attemptChecks.get(this.index);
  }

  recompute = async (): Promise<void> => {
    const { run, index } = this;
    if (!run || this.busy) return;
    this.busy = true;
    this.problem = '';
    const start = performance.now();
    try {
      run.attemptChecks.set(index, await run.bundle.recompute(index));
      this.took = (performance.now() - start) / 1000;
      session.touch();
    } catch (thrown) {
      this.problem = asRefusal(thrown).message;
    }
    this.busy = false;
  };

  protected override render(): TemplateResult | typeof nothing {
    const attempt = this.run?.summary.attempts[this.index];
    if (!attempt) return nothing;
    const checks = this.#checks();
    const checked = checks?.filter((check) => check.verdict !== 'not_checkable').length ?? 0;
    return html`<header>
        <h2>Scores</h2>
        <span class="end">
          <span class="small muted" role="status">
            ${this.busy ? 'Computing…' : checks && this.took !== null ? `${checked} checked here in ${duration(this.took)}` : nothing}
          </span>
          <button class="btn sm" id="recompute" ?disabled=${this.busy || attempt.measurements.length === 0} @click=${this.recompute}>Recompute here</button>
        </span>
      </header>
      ${this.problem ? html`<p class="pad problem" role="alert">${mark('err', this.problem)}</p>` : nothing}
      ${attempt.measurements.length === 0
        ? html`<p class="pad muted">Nothing was measured: ${attempt.outcome.kind === 'ours' ? 'we failed to run this trial' : 'there is no mesh to measure'}.</p>`
        : html`<table class="scores">
            <thead>
              <tr><th scope="col">Score</th><th scope="col" class="n">In the bundle</th><th scope="col" class="n">This browser</th><th scope="col">Result</th></tr>
            </thead>
            <tbody>
              ${attempt.measurements.map((measurement) => this.#row(attempt, measurement, checks))}
              ${checks?.filter(({ where }) => !attempt.measurements.some(({ protocol }) => where.endsWith(` ${protocol}`))).map((check) => this.#besides(check))}
            </tbody>
          </table>`}`;
  }

  #row(attempt: Attempt, measurement: Measurement, checks: Check[] | undefined): TemplateResult {
    const check = checks?.find((candidate) => candidate.where.endsWith(` ${measurement.protocol}`));
    const open = this.explained === measurement.protocol;
    const differs = check?.verdict === 'differs';
    return html`<tr class=${differs ? 'dif' : nothing}>
        <th scope="row">
          <button class="cellnum" aria-expanded=${open} @click=${() => (this.explained = open ? null : measurement.protocol)}>${measureTitle(measurement.protocol)}</button>
          <span class="pr num quiet">${measurement.protocol}</span>
        </th>
        <td class="n claimed">${digits(measurement.value)}</td>
        <td class="n here">${check && check.verdict !== 'not_checkable' ? digits(check.recomputed) : '–'}</td>
        <td>${this.#verdict(measurement, check)}</td>
      </tr>
      ${differs
        ? html`<tr class="why dif"><td colspan="4"><p>
            The bundle says <span class="num">${digits(check.claimed)}</span>, this browser got <span class="num">${digits(check.recomputed)}</span> from the
            evidence in the same file. Both can’t be right: don’t cite this number. ${check.reason ?? ''}
          </p></td></tr>`
        : nothing}
      ${open ? html`<tr class="why"><td colspan="4">${this.#definition(attempt, measurement)}</td></tr>` : nothing}`;
  }

  /** What is checked besides the numbers: the outcome against the mesh, a penalty against the reference. */
  #besides({ where, claimed, recomputed, verdict, reason }: Check): TemplateResult {
    const name = where.endsWith(' outcome') ? 'Outcome and mesh' : where.endsWith(' penalty') ? 'Penalty of the task' : where;
    return html`<tr class=${verdict === 'differs' ? 'dif' : nothing}>
      <th scope="row">${name}</th>
      <td class="n">${brief(claimed)}</td>
      <td class="n">${brief(recomputed)}</td>
      <td>${verdict === 'agrees' ? mark('ok', 'Agrees') : verdict === 'differs' ? mark('diff', `Differs${reason ? `: ${reason}` : ''}`) : mark('unk', `Not checked: ${reason ?? ''}`)}</td>
    </tr>`;
  }

  #verdict(measurement: Measurement, check: Check | undefined): TemplateResult {
    if (measurement.recomputable !== 'browser') return mark('unk', NEEDS[measurement.recomputable]);
    if (!check) return mark('unk', 'Not checked yet');
    if (check.verdict === 'not_checkable') return mark('unk', `Not checked: ${check.reason ?? 'the evidence is not in the file'}`);
    return check.verdict === 'agrees' ? mark('ok', 'Agrees') : mark('diff', 'Differs');
  }

  #definition(attempt: Attempt, { protocol, value, details, note }: Measurement): TemplateResult {
    const { run } = this;
    const reference = run?.items.get(attempt.item)?.reference;
    return html`<div class="explain">
      <mm-protocol .protocol=${protocol}></mm-protocol>
      <dl class="facts">
        <dt>Value</dt><dd class="num">${digits(value)}</dd>
        ${note ? html`<dt>Note</dt><dd>${note}</dd>` : nothing}
        ${Object.entries(details ?? {}).map(([name, detail]) => html`<dt>${name.replaceAll('_', ' ')}</dt><dd class="num">${typeof detail === 'object' ? JSON.stringify(detail) : String(detail)}</dd>`)}
        <dt>Inputs</dt>
        <dd class="num wrap">${attempt.mesh ?? 'no mesh'}<br />${reference?.mesh ?? 'no reference mesh'}</dd>
      </dl>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'mm-score-table': ScoreTable;
  }
}
