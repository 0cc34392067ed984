import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Attempt, Item, Outcome } from '../api/format';
import { SessionElement } from '../elements/session-element';
import { key, mark, outcomeMark, shape } from '../elements/mark';
import '../elements/mesh-pair';
import type { Side } from '../elements/mesh-pair';
import '../elements/rerun-panel';
import '../elements/score-table';
import { shortcut } from '../elements/shortcuts';
import '../elements/trial-texts';
import { asRefusal } from '../engine/contract';
import { bytes, count, duration } from '../numbers';
import { classOf, classTitle, GROUPS, groupOf, statusOf, statusTitle } from '../outcomes';
import { runUrl, type Trial, trialUrl } from '../route';
import { type OpenRun, session } from '../session';

/** One trial: result beside reference, program, log, prompt, scores. */
@customElement('mm-trial-page')
export class TrialPage extends SessionElement {
  @property({ attribute: false }) trial: Trial | null = null;
  @state() private meshes: [Uint8Array | null, Uint8Array | null] = [null, null];
  @state() private meshProblem: [string, string] = ['', ''];

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#keys);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#keys);
  }

  readonly #keys = (event: KeyboardEvent): void => {
    const pair = this.querySelector('mm-mesh-pair');
    switch (shortcut(event)) {
      case 'j':
        return this.#step(1);
      case 'k':
        return this.#step(-1);
      case 'c':
        return pair?.toggleLink();
      case 'r':
        return pair?.reset();
      case 'u':
        if (session.run) location.hash = session.runAddress ?? runUrl(session.run.root);
    }
  };

  #neighbours(run: OpenRun, index: number): { order: readonly number[]; at: number } {
    // The order in which the run's table last showed them, so that next means what the reader saw.
    const order = session.order.length > 0 && session.order.includes(index) ? session.order : run.summary.attempts.map((_, position) => position);
    return { order, at: order.indexOf(index) };
  }

  #address(step: number): string | null {
    const { run } = session;
    if (!run || !this.trial) return null;
    const { order, at } = this.#neighbours(run, run.indexOf(this.trial));
    const attempt = run.summary.attempts[order[at + step] ?? -1];
    return attempt ? trialUrl(run.root, attempt) : null;
  }

  #step(step: number): void {
    const address = this.#address(step);
    if (address) location.hash = address;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('trial')) this.#read();
  }

  /** Reads both meshes; an answer that comes after the reader went on is dropped. */
  #read(): void {
    const { run } = session;
    const { trial } = this;
    const attempt = trial && run?.attempt(trial);
    this.meshes = [null, null];
    this.meshProblem = ['', ''];
    if (!run || !attempt) return;
    const paths = [attempt.mesh, run.items.get(attempt.item)?.reference.mesh ?? null];
    paths.forEach((path, side) => {
      if (!path) return;
      run.bundle.entry(path).then(
        (glb) => {
          if (this.trial === trial) this.meshes = side === 0 ? [glb, this.meshes[1]] : [this.meshes[0], glb];
        },
        (thrown: unknown) => {
          const message = asRefusal(thrown).message;
          if (this.trial === trial) this.meshProblem = side === 0 ? [message, this.meshProblem[1]] : [this.meshProblem[0], message];
        },
      );
    });
  }

  protected override render(): TemplateResult {
    const { run } = session;
    const { trial } = this;
    const index = run && trial ? run.indexOf(trial) : -1;
    const attempt = run?.summary.attempts[index];
    const item = attempt && run?.items.get(attempt.item);
    if (!run || !trial || !attempt || !item) return this.#missing();
    return html`<main id="main" class="trial" tabindex="-1">
      ${this.#head(run, attempt, item, index)}
      <div class="lay">
        <div class="left">
          <section class="panel view" aria-label="Result and reference">
            <mm-mesh-pair .sides=${this.#sides(attempt, item)} .pictures=${run.pictures}></mm-mesh-pair>
          </section>
          <div class="low">
            <section class="panel" aria-label="Scores"><mm-score-table .run=${run} .index=${index}></mm-score-table></section>
            <section class="panel" aria-label="Outcome">${this.#outcome(run, attempt, item)}</section>
          </div>
        </div>
        <mm-trial-texts class="panel right" .run=${run} .attempt=${attempt} .item=${item}></mm-trial-texts>
      </div>
    </main>`;
  }

  #missing(): TemplateResult {
    const root = session.run?.root ?? '';
    return html`<main id="main" class="page" tabindex="-1">
      <h1>This trial isn’t in the bundle</h1>
      <p class="muted">
        The bundle is the right one, but it has no trial
        <span class="num">${this.trial ? `${this.trial.item}, ${this.trial.source}, sample ${this.trial.sample}, turn ${this.trial.turn}` : ''}</span>.
        <a href=${runUrl(root)}>Show all trials</a>
      </p>
    </main>`;
  }

  #head(run: OpenRun, attempt: Attempt, item: Item, index: number): TemplateResult {
    const { order, at } = this.#neighbours(run, index);
    const turns = run.summary.attempts.filter((a) => a.item === attempt.item && a.source === attempt.source && a.sample === attempt.sample);
    const step = (by: number, title: string, name: string): TemplateResult => {
      const href = this.#address(by);
      return html`<a href=${href ?? nothing} rel=${by < 0 ? 'prev' : 'next'} aria-disabled=${href ? nothing : 'true'}>${by < 0 ? key(name) : nothing}${title}${by > 0 ? key(name) : nothing}</a>`;
    };
    return html`<div class="th">
      <h1>
        <span class="num">${attempt.item}</span>
        <span>${attempt.source}${attempt.sample > 0 ? `, sample ${attempt.sample + 1}` : ''}</span>
      </h1>
      ${turns.length > 1
        ? html`<div class="seg" role="group" aria-label="Turn">
            ${turns.map((turn) => html`<a href=${trialUrl(run.root, turn)} aria-current=${turn === attempt ? 'true' : nothing}>${shape(GROUPS[groupOf(turn.outcome)].mark)}Turn ${turn.turn + 1}</a>`)}
          </div>`
        : outcomeMark(attempt.outcome)}
      <p class="only-s ask">${item.prompt}</p>
      <div class="end">
        <a class="btn plain hide-s" href=${session.runAddress ?? runUrl(run.root)}>All trials ${key('u')}</a>
        <span class="small muted hide-s">Trial <span class="num">${count(at + 1)}</span> of <span class="num">${count(order.length)}</span></span>
        <nav class="seg" aria-label="Neighbouring trials">${step(-1, 'Previous', 'k')}${step(1, 'Next', 'j')}</nav>
      </div>
    </div>`;
  }

  #sides(attempt: Attempt, item: Item): [Side, Side] {
    const referenceOutcome = item.reference.outcome;
    return [
      {
        label: 'Result',
        glb: this.meshes[0],
        triangles: attempt.outcome.kind === 'mesh' ? attempt.outcome.triangles : 0,
        views: attempt.views ?? [],
        instead: this.meshProblem[0] ? html`<p>${mark('err', this.meshProblem[0])}</p>` : attempt.mesh ? null : noMesh(attempt.outcome),
      },
      {
        label: 'Reference',
        glb: this.meshes[1],
        triangles: referenceOutcome?.kind === 'mesh' ? referenceOutcome.triangles : 0,
        views: item.reference.views ?? [],
        instead: this.meshProblem[1]
          ? html`<p>${mark('err', this.meshProblem[1])}</p>`
          : item.reference.mesh
            ? null
            : html`${mark('unk', 'No reference mesh')}<p>This task is left out of every comparison.</p>`,
      },
    ];
  }

  #outcome(run: OpenRun, attempt: Attempt, item: Item): TemplateResult {
    const { outcome } = attempt;
    const timing = run.summary.timing.find(
      (line) => line.item === attempt.item && line.source === attempt.source && line.sample === attempt.sample && line.turn === attempt.turn,
    );
    const failure = classOf(outcome);
    const fact = (name: string, value: unknown): TemplateResult | typeof nothing =>
      value === null || value === undefined || value === '' ? nothing : html`<dt>${name}</dt><dd>${value}</dd>`;
    return html`<header><h2>How it ended</h2><span class="end num quiet">${statusOf(outcome)}</span></header>
      <div class="pad ended">
        <p>${outcomeMark(outcome)} ${outcome.message}</p>
        <dl class="facts">
          ${outcome.kind === 'mesh'
            ? html`${fact('Official status', outcome.official_status ?? 'not known')} ${fact('Failure class', failure && `${failure}, ${classTitle(failure)}`)}
              ${fact('Triangles', outcome.triangles > 0 ? html`<span class="num">${count(outcome.triangles)}</span> in <span class="num">${count(outcome.n_meshes)}</span> ${outcome.n_meshes === 1 ? 'mesh' : 'meshes'}` : null)}
              ${fact('Protocol', html`<span class="num">${outcome.protocol}</span>`)}`
            : fact('Step', outcome.stage)}
          ${fact('Task', html`${item.category}`)}
          ${timing
            ? fact(
                'Time',
                html`<span class="num">${duration(timing.seconds['total'] ?? Object.values(timing.seconds).reduce((sum, part) => sum + part, 0))}</span>${timing.peak_memory_bytes ? html`, <span class="num">${bytes(timing.peak_memory_bytes)}</span>` : nothing}`,
              )
            : nothing}
          ${fact('Cost', attempt.cost_usd === null ? null : html`<span class="num">$${attempt.cost_usd.toFixed(4)}</span>`)}
        </dl>
        ${outcome.kind === 'mesh' && outcome.warnings?.length ? html`<ul class="warnings">${outcome.warnings.map((warning) => html`<li>${warning}</li>`)}</ul>` : nothing}
        ${session.site?.api && attempt.answer.program ? html`<mm-rerun .run=${run} .attempt=${attempt}></mm-rerun>` : nothing}
      </div>`;
  }
}

/** What stands where a mesh would be. */
function noMesh(outcome: Outcome): TemplateResult {
  const exception = outcome.kind === 'mesh' ? outcome.exception : null;
  return html`${outcomeMark(outcome)}
    <p><strong>${outcome.kind === 'ours' ? 'We failed to run it.' : statusTitle(outcome.status)}</strong></p>
    <p>${exception ? html`<span class="num">${exception.type}: ${exception.message}</span>` : outcome.message}</p>`;
}
