import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { bytes, hash } from '../numbers';
import { runUrl } from '../route';
import { session } from '../session';
import { SessionElement } from './session-element';
import { icon, shape } from './mark';
import { progressLine } from './progress-line';

/** Asks the frame to show the file picker. */
export const askForFile = (): boolean => dispatchEvent(new Event('mm-open'));

/** What stands in a page's place while its bundle is missing, on its way, or refused. */
@customElement('mm-bundle-gate')
export class BundleGate extends SessionElement {
  @property({ attribute: false }) root = '';

  protected override render(): TemplateResult {
    const { opening, problem, site } = session;
    return html`<main id="main" class="page gate" tabindex="-1">
      ${opening ? openingCard() : problem ? problemCard() : site === null ? html`<p class="muted">Looking for the bundle…</p>` : this.#other()}
    </main>`;
  }

  #other(): TemplateResult {
    const { run } = session;
    return html`<section class="panel card">
      <h1 class="lead">${shape('unk')} This link is about a bundle that isn’t open.</h1>
      <p>
        It names <span class="hash" title=${this.root}>${hash(this.root)}</span>${run
          ? html`; the open file is <span class="hash" title=${run.root}>${hash(run.root)}</span>`
          : nothing}.
        Open the right file and the page appears.
      </p>
      <p class="act">
        <button class="btn primary" @click=${askForFile}>Choose the file…</button>
        ${run ? html`<a class="btn" href=${runUrl(run.root)}>Show the open run</a>` : nothing}
      </p>
    </section>`;
  }
}

/** How far a file is on its way in. */
export function openingCard(): TemplateResult | typeof nothing {
  const { opening } = session;
  if (!opening) return nothing;
  const { name, received, total } = opening;
  const arrived = total !== null && received >= total;
  return html`<section class="panel card" aria-busy="true">
    <h1 class="lead">${arrived ? 'Reading' : 'Fetching'} <span class="num">${name}</span></h1>
    ${progressLine(`Opening ${name}`, received, total)}
    <p>
      <span class="num">${bytes(received)}</span>${total === null ? ' so far; the host doesn’t say how much is coming.' : html` of <span class="num">${bytes(total)}</span>.`}
    </p>
    <p class="act"><button class="btn" @click=${() => session.cancel()}>Cancel</button></p>
  </section>`;
}

/** Why a file could not be opened, and what to do. */
export function problemCard(): TemplateResult | typeof nothing {
  const { problem } = session;
  if (!problem) return nothing;
  const { name, refusal } = problem;
  return html`<section class="panel card bad" role="alert">
    <h1 class="lead">${icon('err', 'ico fail')} <span class="num">${name}</span> can’t be shown.</h1>
    <p>${refusal.message}</p>
    <dl class="facts">
      ${refusal.where ? html`<dt>Where</dt><dd class="num">${refusal.where}</dd>` : nothing}
      <dt>What</dt><dd class="num">${refusal.kind}</dd>
    </dl>
    <p class="act">
      <button class="btn primary" @click=${askForFile}>Choose another file…</button>
      <button class="btn plain" @click=${() => session.dismiss()}>Dismiss</button>
    </p>
  </section>`;
}
