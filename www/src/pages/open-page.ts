import { html, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { askForFile, openingCard, problemCard } from '../elements/bundle-gate';
import { SessionElement } from '../elements/session-element';
import { hash, plural } from '../numbers';
import { boardUrl, runUrl, verifyUrl } from '../route';
import { session } from '../session';

/** The first page: take a file in, or choose one of the site's runs. */
@customElement('mm-open-page')
export class OpenPage extends SessionElement {

  protected override render(): TemplateResult {
    const { opening, problem, run, site } = session;
    return html`<main id="main" class="page open" tabindex="-1">
      <header class="hd">
        <div>
          <h1>Open a run</h1>
          <p>
            Programs that make 3D, what became of them, and every number with the evidence to compute it again. A file opened here is read in this
            browser and sent nowhere.
          </p>
        </div>
      </header>
      ${problem ? problemCard() : nothing} ${opening ? openingCard() : nothing}
      <div class="open-grid">
        <section class="panel drop-zone" aria-labelledby="drop-title">
          <h2 id="drop-title">Drop a file anywhere on this page</h2>
          <p>A run bundle <span class="num">NAME.run.zip</span> shows its leaderboard, its trials and their meshes. Two meshes <span class="num">.glb</span> are compared side by side.</p>
          <p class="act">
            <button class="btn primary" ?disabled=${opening !== null} @click=${askForFile}>Choose a file…</button>
            <a class="btn" href="#/compare">Compare two meshes</a>
          </p>
        </section>
        ${run ? this.#open() : nothing} ${site && site.runs.length > 0 ? this.#offers() : nothing}
      </div>
    </main>`;
  }

  #open(): TemplateResult | typeof nothing {
    const { run } = session;
    if (!run) return nothing;
    const { counts, benchmark, run: title } = run.summary.manifest;
    return html`<section class="panel" aria-labelledby="open-title">
      <header><h2 id="open-title">Open in this tab</h2></header>
      <div class="pad">
        <p><strong>${title}</strong> <span class="muted">${benchmark}, ${plural(counts.attempts, 'trial')}</span></p>
        <p class="act">
          <a class="btn" href=${runUrl(run.root)}>Trials</a> <a class="btn" href=${boardUrl(run.root)}>Leaderboard</a>
          <a class="btn" href=${verifyUrl(run.root)}>Verify</a>
        </p>
      </div>
    </section>`;
  }

  #offers(): TemplateResult {
    return html`<section class="panel" aria-labelledby="site-title">
      <header><h2 id="site-title">Runs on this site</h2></header>
      <ul class="runs">
        ${session.site?.runs.map(
          (offer) => html`<li>
            <a href=${runUrl(offer.root)}>${offer.name}</a>
            <span class="muted">${offer.benchmark}, ${plural(offer.items, 'task')}, ${plural(offer.attempts, 'trial')}</span>
            <span class="hash quiet" title=${offer.root}>${hash(offer.root)}</span>
          </li>`,
        )}
      </ul>
    </section>`;
  }
}
