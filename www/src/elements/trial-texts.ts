import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Attempt, Exception, Item, ProgramPath } from '../api/format';
import { asRefusal } from '../engine/contract';
import { bytes } from '../numbers';
import type { OpenRun } from '../session';
import './code-view';
import { LightElement } from './light-element';
import { mark } from './mark';
import { tabList } from './tab-list';

type Tab = 'program' | 'reference' | 'answer' | 'log';

/** Characters of a log or an answer shown at once. */
const MAX_SHOWN_CHARS = 200_000;

/** What was written: the program, the reference program, the raw answer, the log, and the prompt below. */
@customElement('mm-trial-texts')
export class TrialTexts extends LightElement {
  @property({ attribute: false }) run: OpenRun | null = null;
  @property({ attribute: false }) attempt: Attempt | null = null;
  @property({ attribute: false }) item: Item | null = null;
  @state() private tab: Tab = 'program';
  @state() private file: string | null = null;
  @state() private text: string | null = null;
  @state() private problem = '';
  @state() private copied = false;
  #path: string | null = null;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('attempt')) {
      const program = this.attempt?.answer.program ?? null;
      // A failure in another file than the entry is what the reader came for.
      this.file = this.#exception()?.file ?? null;
      if (this.tab === 'program' && !program) this.tab = this.attempt?.answer.response ? 'answer' : this.attempt?.log ? 'log' : 'reference';
      else if (!this.#tabs().some(([id]) => id === this.tab)) this.tab = 'program';
    }
    void this.#read();
  }

  #exception(): Exception | null {
    const outcome = this.attempt?.outcome;
    return outcome?.kind === 'mesh' ? outcome.exception : null;
  }

  #program(): ProgramPath | null {
    return (this.tab === 'reference' ? this.item?.reference.program : this.attempt?.answer.program) ?? null;
  }

  #fileShown(program: ProgramPath): string {
    return this.file && program.files.includes(this.file) ? this.file : program.entry;
  }

  #pathShown(): string | null {
    if (this.tab === 'log') return this.attempt?.log ?? null;
    if (this.tab === 'answer') return this.attempt?.answer.response ?? null;
    const program = this.#program();
    return program ? `${program.folder}/${this.#fileShown(program)}` : null;
  }

  async #read(): Promise<void> {
    const path = this.#pathShown();
    if (path === this.#path) return;
    this.#path = path;
    this.text = null;
    this.problem = '';
    this.copied = false;
    if (!path || !this.run) return;
    try {
      const text = new TextDecoder().decode(await this.run.bundle.entry(path));
      if (this.#path === path) this.text = text;
    } catch (thrown) {
      if (this.#path === path) this.problem = asRefusal(thrown).message;
    }
  }

  #tabs(): [Tab, string][] {
    const { attempt, item } = this;
    const tabs: [Tab, string][] = [];
    if (attempt?.answer.program) tabs.push(['program', 'Program']);
    if (attempt?.log) tabs.push(['log', 'Log']);
    if (attempt?.answer.response) tabs.push(['answer', 'Answer']);
    if (item?.reference.program) tabs.push(['reference', 'Reference']);
    return tabs;
  }

  readonly #copy = async (): Promise<void> => {
    if (this.text === null) return;
    await navigator.clipboard.writeText(this.text);
    this.copied = true;
  };

  protected override render(): TemplateResult {
    const tabs = this.#tabs();
    return html`<header>
        ${tabList('texts', tabs, this.tab, (tab) => (this.tab = tab as Tab))}
        <span class="end"><button class="btn plain sm" ?disabled=${this.text === null} @click=${this.#copy}>${this.copied ? 'Copied' : 'Copy'}</button></span>
      </header>
      <div class="texts" id="panel-texts" role="tabpanel" aria-label=${tabs.find(([id]) => id === this.tab)?.[1] ?? 'Text'}>${this.#shown()}</div>
      <div class="pm">
        <h3>Prompt</h3>
        <p tabindex="0" role="group" aria-label="Prompt">${this.item?.prompt}</p>
      </div>`;
  }

  #shown(): TemplateResult | typeof nothing {
    if (this.problem) return html`<p class="pad">${mark('err', this.problem)}</p>`;
    if (this.#pathShown() === null) return html`<p class="pad muted">The answer held no program.</p>`;
    if (this.text === null) return nothing;
    if (this.tab === 'log' || this.tab === 'answer') return this.#plain(this.text);
    const program = this.#program();
    const exception = this.tab === 'program' ? this.#exception() : null;
    const file = program ? this.#fileShown(program) : '';
    const failsHere = exception && program && (exception.file ?? program.entry) === file;
    return html`${program && program.files.length > 1
        ? html`<label class="files-of">File
            <select class="sel" @change=${(event: Event) => (this.file = (event.target as HTMLSelectElement).value)}>
              ${program.files.map((name) => html`<option value=${name} ?selected=${name === file}>${name}</option>`)}
            </select></label>`
        : nothing}
      ${failsHere && exception.line ? html`<p class="fails-at">${mark('fail', html`${exception.type} in line ${exception.line}`)} <button class="btn plain sm" @click=${() => this.querySelector('mm-code-view')?.goToFailing()}>Go to line</button></p>` : nothing}
      ${this.#trimmed()}
      <mm-code-view
        .program=${this.text}
        .label=${this.tab === 'reference' ? 'Reference program' : 'Program'}
        .failing=${failsHere ? exception.line : null}
        .why=${exception ? `${exception.type}: ${exception.message}` : ''}
      ></mm-code-view>`;
  }

  #trimmed(): TemplateResult | typeof nothing {
    const { trimmed_head: head = 0, trimmed_tail: tail = 0 } = this.attempt?.answer ?? {};
    if (this.tab !== 'program' || head + tail === 0) return nothing;
    return html`<p class="fails-at small muted">Left out so that the answer parses: ${head} lines before the program, ${tail} after it.</p>`;
  }

  #plain(text: string): TemplateResult {
    if (text === '') return html`<p class="pad muted">Empty.</p>`;
    const hidden = text.length - MAX_SHOWN_CHARS;
    return html`<pre class="log" tabindex="0" aria-label=${this.tab === 'log' ? 'Log' : 'Answer'}>${hidden > 0 ? text.slice(0, MAX_SHOWN_CHARS) : text}</pre>
      ${hidden > 0 ? html`<p class="pad small muted">${bytes(hidden)} more are in the bundle.</p>` : nothing}`;
  }
}
