import { html, type TemplateResult } from 'lit';
import { customElement, query } from 'lit/decorators.js';
import { LightElement } from './light-element';
import { lettersOn, setLetters } from './shortcuts';

const KEYS: [string, [string, string][]][] = [
  ['Everywhere', [['?', 'this list']]],
  ['Run', [['j k', 'next or previous trial'], ['Enter', 'open it'], ['/', 'search'], ['f', 'filters']]],
  ['Trial', [['j k', 'next or previous trial'], ['c', 'link or unlink the cameras'], ['r', 'reset the view'], ['u', 'back to the run']]],
  ['In a 3D view', [['← → ↑ ↓', 'turn'], ['Shift and arrows', 'move'], ['+ −', 'nearer or farther'], ['r', 'reset']]],
];

/** Every key, and the switch for the single-letter ones. */
@customElement('mm-key-help')
export class KeyHelp extends LightElement {
  @query('dialog') private dialog!: HTMLDialogElement;

  open(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }

  readonly #toggle = (): void => {
    setLetters(!lettersOn());
    this.requestUpdate();
  };

  protected override render(): TemplateResult {
    return html`<dialog class="keys-dialog panel" aria-labelledby="keys-title">
      <header>
        <h2 id="keys-title">Keys</h2>
        <form method="dialog" class="end"><button class="btn sm">Close</button></form>
      </header>
      <div class="keys-list">
        ${KEYS.map(
          ([where, keys]) => html`<section>
            <h3>${where}</h3>
            <dl>${keys.map(([name, does]) => html`<dt>${name.split(' ').map((part) => (part === 'and' ? ' and ' : html`<kbd>${part}</kbd>`))}</dt><dd>${does}</dd>`)}</dl>
          </section>`,
        )}
      </div>
      <p class="pad">
        <button class="switch" role="switch" aria-checked=${lettersOn()} @click=${this.#toggle}><i></i>Single-letter keys</button>
      </p>
    </dialog>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'mm-key-help': KeyHelp;
  }
}
