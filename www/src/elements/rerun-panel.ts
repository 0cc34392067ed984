import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Attempt } from '../api/format';
import { runTrial, type ServerTrial } from '../api/trials';
import { asRefusal } from '../engine/contract';
import { measureTitle } from '../measures';
import { full } from '../numbers';
import { statusOf, statusTitle } from '../outcomes';
import { type OpenRun, session } from '../session';
import { LightElement } from './light-element';
import { mark } from './mark';

/** Runs the program again on the server and sets the new outcome beside the stored one. */
@customElement('mm-rerun')
export class RerunPanel extends LightElement {
  @property({ attribute: false }) run: OpenRun | null = null;
  @property({ attribute: false }) attempt: Attempt | null = null;
  @state() private stage: string | null = null;
  @state() private result: ServerTrial | null = null;
  @state() private problem = '';
  #abort: AbortController | null = null;
  #of: Attempt | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#abort?.abort();
  }

  protected override willUpdate(): void {
    if (this.#of === this.attempt) return;
    this.#of = this.attempt;
    this.#abort?.abort();
    this.stage = null;
    this.result = null;
    this.problem = '';
  }

  readonly #start = async (): Promise<void> => {
    const { run, attempt } = this;
    const api = session.site?.api;
    const program = attempt?.answer.program;
    if (!run || !attempt || !program || !api) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.stage = 'sending';
    this.result = null;
    this.problem = '';
    try {
      const texts = await Promise.all(program.files.map(async (file) => [file, new TextDecoder().decode(await run.bundle.entry(`${program.folder}/${file}`))] as const));
      const result = await runTrial(
        api,
        {
          program: { entry: program.entry, files: Object.fromEntries(texts) },
          task: { run: run.root, item: attempt.item },
          views: 'none',
          protocol: attempt.outcome.kind === 'mesh' ? attempt.outcome.protocol : 'exec/meshmark@1',
          measures: [...new Set(attempt.measurements.map((measurement) => measurement.protocol))],
        },
        (event, stage) => {
          if (this.#abort === abort) this.stage = stage || event;
        },
        abort.signal,
      );
      if (this.#abort === abort) this.result = result;
    } catch (thrown) {
      if (this.#abort === abort) this.problem = abort.signal.aborted ? 'Cancelled.' : asRefusal(thrown).message;
    }
    if (this.#abort === abort) this.stage = null;
  };

  protected override render(): TemplateResult {
    const running = this.stage !== null;
    return html`<div class="rerun">
      <p class="act">
        <button class="btn" ?disabled=${running} @click=${this.#start}>Run again here</button>
        ${running ? html`<button class="btn plain" @click=${() => this.#abort?.abort()}>Cancel</button>` : nothing}
        <span role="status" class="small muted">${running ? `On the server: ${this.stage}…` : this.problem}</span>
      </p>
      ${this.result ? this.#compared(this.result) : nothing}
    </div>`;
  }

  #compared(result: ServerTrial): TemplateResult {
    const stored = this.attempt;
    if (!stored || !result.outcome) return html`<p>${mark('unk', `The server ended this trial as ${result.state}; it gave no outcome.`)}</p>`;
    const [before, after] = [statusOf(stored.outcome), statusOf(result.outcome)];
    const rows = stored.measurements.flatMap((measurement) => {
      const again = result.measurements.find((candidate) => candidate.protocol === measurement.protocol);
      return again ? [{ protocol: measurement.protocol, stored: measurement.value, again: again.value }] : [];
    });
    return html`<table class="scores">
      <thead><tr><th scope="col">Run again</th><th scope="col" class="n">In the bundle</th><th scope="col" class="n">Now</th><th scope="col">Result</th></tr></thead>
      <tbody>
        <tr><th scope="row">Outcome</th><td class="n">${statusTitle(before)}</td><td class="n">${statusTitle(after)}</td><td>${before === after ? mark('ok', 'Agrees') : mark('diff', 'Differs')}</td></tr>
        ${rows.map(
          (row) => html`<tr>
            <th scope="row">${measureTitle(row.protocol)}</th>
            <td class="n">${row.stored === null ? '–' : full(row.stored)}</td>
            <td class="n">${row.again === null ? '–' : full(row.again)}</td>
            <td>${row.stored === row.again ? mark('ok', 'Agrees') : mark('diff', 'Differs')}</td>
          </tr>`,
        )}
      </tbody>
    </table>`;
  }
}
