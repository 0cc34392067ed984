import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { LightElement } from './light-element';
import { shape } from './mark';
import { type Piece, pythonLines } from './python-tokens';

/** Lines shown of a program; the rest is said to be there. */
const MAX_LINES = 5_000;

/** A program with numbered lines; the failing one is marked, with what stopped it. */
@customElement('mm-code-view')
export class CodeView extends LightElement {
  @property() program = '';
  @property() label = 'Program';
  /** From 1; null when no line failed. */
  @property({ attribute: false }) failing: number | null = null;
  @property() why = '';
  #lines: Piece[][] = [];

  goToFailing(): void {
    this.querySelector<HTMLElement>('.del')?.scrollIntoView({ block: 'center' });
    this.querySelector<HTMLElement>('.code')?.focus({ preventScroll: true });
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('program')) this.#lines = pythonLines(this.program.replace(/\n$/, ''));
  }

  protected override updated(changed: PropertyValues<this>): void {
    if ((changed.has('failing') || changed.has('program')) && this.failing !== null) {
      const code = this.querySelector<HTMLElement>('.code');
      const line = this.querySelector<HTMLElement>('.del');
      if (code && line) code.scrollTop = line.offsetTop - code.clientHeight / 2;
    }
  }

  protected override render(): TemplateResult {
    const hidden = this.#lines.length - MAX_LINES;
    return html`<ol class="code" tabindex="0" aria-label=${this.label}>
      ${this.#lines.slice(0, MAX_LINES).map((pieces, index) => this.#line(pieces, index + 1))}
      ${hidden > 0 ? html`<li class="err"><span>${hidden} more lines are in the bundle.</span></li>` : nothing}
    </ol>`;
  }

  #line(pieces: Piece[], number: number): TemplateResult {
    const fails = number === this.failing;
    const text = pieces.map(({ text, kind }) => (kind ? html`<span class=${kind}>${text}</span>` : text));
    return html`<li class=${fails ? 'del' : nothing}><span class="ln">${number}</span><code>${text}</code></li>
      ${fails ? html`<li class="err"><span>${shape('fail')} <span>Stopped here. ${this.why}</span></span></li>` : nothing}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'mm-code-view': CodeView;
  }
}
