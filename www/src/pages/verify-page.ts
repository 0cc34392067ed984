import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { isClaim, numberIn } from '../claims';
import { problemCard, openingCard, askForFile } from '../elements/bundle-gate';
import { save } from '../elements/file-chooser';
import { SessionElement } from '../elements/session-element';
import { mark, shape } from '../elements/mark';
import { progressLine } from '../elements/progress-line';
import { asRefusal, type Check, type Progress, type Report, type Verdict } from '../engine/contract';
import { bytes, count, duration, full, hash, plural } from '../numbers';
import type { Mark } from '../outcomes';
import { type OpenRun, session } from '../session';

type Show = 'all' | Verdict;

const VERDICTS: Record<Verdict, { mark: Mark; title: string }> = {
  differs: { mark: 'diff', title: 'Differs' },
  agrees: { mark: 'ok', title: 'Agrees' },
  not_checkable: { mark: 'unk', title: 'Not checked here' },
};

/** Rows shown before more are asked for. */
const FEW = 200;

/** Hashes and every number of a bundle, computed again. */
@customElement('mm-verify-page')
export class VerifyPage extends SessionElement {
  @property({ attribute: false }) root: string | null = null;
  @state() private progress: Progress | null = null;
  @state() private took: number | null = null;
  @state() private problem = '';
  @state() private show: Show = 'all';
  @state() private shown = FEW;
  #checking: OpenRun | null = null;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
  }

  readonly #stop = (): void => {
    const run = this.#checking;
    this.#checking = null;
    this.progress = null;
    if (run) void run.bundle.cancel();
  };

  readonly #start = async (): Promise<void> => {
    const { run } = session;
    if (!run || this.#checking) return;
    this.#checking = run;
    this.problem = '';
    this.show = 'all';
    this.shown = FEW;
    this.progress = { done: 0, total: 0 };
    const start = performance.now();
    try {
      const report = await run.bundle.verify((progress) => {
        if (this.#checking === run) this.progress = progress;
      });
      if (this.#checking !== run) return;
      this.took = (performance.now() - start) / 1000;
      run.report = report;
      session.touch();
    } catch (thrown) {
      if (this.#checking === run) this.problem = asRefusal(thrown).message;
    }
    if (this.#checking === run) {
      this.#checking = null;
      this.progress = null;
    }
  };

  protected override render(): TemplateResult {
    const { run, opening, problem, site } = session;
    const other = this.root !== null && run !== null && run.root !== this.root;
    return html`<main id="main" class="verify" tabindex="-1">
      <section class="files" aria-label="File">
        <div class="drop">
          <h2>Check a bundle</h2>
          <p>Drop a <span class="num">.run.zip</span> here. It is read in this browser and sent nowhere.</p>
          <button class="btn" @click=${askForFile}>Choose a file…</button>
        </div>
        ${run ? this.#file(run) : nothing}
        ${site && site.runs.length > 0
          ? html`<div><h2>Published here</h2>
              <ul class="runs">${site.runs.map((offer) => html`<li><a href=${`#/verify/${offer.root}`}>${offer.name}</a><span class="hash quiet" title=${offer.root}>${hash(offer.root)}</span></li>`)}</ul></div>`
          : nothing}
      </section>
      <div class="doc">
        ${opening ? openingCard() : nothing} ${problem ? problemCard() : nothing}
        ${other ? html`<p class="panel card">${mark('unk', html`The address names bundle <span class="hash">${hash(this.root ?? '')}</span>; the open file is another one.`)}</p>` : nothing}
        ${run ? this.#document(run) : opening || problem ? nothing : this.#none()}
      </div>
    </main>`;
  }

  #none(): TemplateResult {
    return html`<section class="panel card">
      <h1 class="lead">No bundle is open.</h1>
      <p>Choose a run bundle. Its hashes, its aggregates and every number that a browser can compute are then worked out again from the evidence inside.</p>
      <p class="act"><button class="btn primary" @click=${askForFile}>Choose a file…</button></p>
    </section>`;
  }

  #file(run: OpenRun): TemplateResult {
    const { report } = run;
    const bad = report ? report.claims.differ > 0 : false;
    return html`<div class="the-file">
      ${shape(report ? (bad ? 'diff' : 'ok') : 'unk')}
      <div><b>${run.name}</b><small>${bytes(run.bundle.blob.size)}, ${report ? (bad ? plural(report.claims.differ, 'check differs', 'checks differ') : 'consistent') : 'not checked whole yet'}</small></div>
    </div>`;
  }

  #document(run: OpenRun): TemplateResult {
    const { report } = run;
    return html`${this.#verdict(run, report)}
      ${report ? html`<div class="cols">${this.#steps(run, report)} ${this.#claims(report)}</div>` : nothing}`;
  }

  #verdict(run: OpenRun, report: Report | null): TemplateResult {
    const { progress } = this;
    const actions = html`<div class="end">
      ${report ? html`<button class="btn" @click=${() => save(`${run.name}.report.json`, JSON.stringify(report, null, 2), 'application/json')}>Save the report</button>` : nothing}
      ${progress
        ? html`<button class="btn" @click=${this.#stop}>Stop</button>`
        : html`<button class="btn ${report ? '' : 'primary'}" id="verify" @click=${this.#start}>${report ? 'Check again' : 'Check everything'}</button>`}
    </div>`;
    if (progress) {
      const { done, total, what } = progress;
      return html`<section class="verdict v-unk">
        <div class="grow">
          <h1>Checking ${run.name}</h1>
          ${progressLine('Checks done', done, total > 0 ? total : null)}
          <p role="status"><span class="num">${count(done)}</span>${total > 0 ? html` of <span class="num">${count(total)}</span>` : nothing}${what ? `, ${what}` : nothing}</p>
        </div>
        ${actions}
      </section>`;
    }
    if (this.problem) {
      return html`<section class="verdict v-bad" role="alert">${shape('err', 'big')}<div><h1>The check could not be finished</h1><p>${this.problem}</p></div>${actions}</section>`;
    }
    if (!report) {
      return html`<section class="verdict v-unk">
        ${shape('unk', 'big')}
        <div>
          <h1>Not checked whole yet</h1>
          <p>The file could be read and its aggregates were computed as it was opened. Checking everything hashes each file inside and computes each number again from the meshes.</p>
        </div>
        ${actions}
      </section>`;
    }
    const { agree, differ, not_checkable: not } = report.claims;
    if (differ > 0) {
      const first = report.differences[0];
      return html`<section class="verdict v-bad" role="alert">
        ${shape('diff', 'big')}
        <div>
          <h1>Don’t trust this bundle</h1>
          <p>${plural(differ, 'check')} of ${count(agree + differ)} ${differ === 1 ? 'differs' : 'differ'} from the evidence in the same file.${first ? html` The first: <span class="num">${first.where}</span>.` : nothing} Ask for the original file.</p>
        </div>
        ${actions}
      </section>`;
    }
    return html`<section class="verdict v-ok" role="status">
      ${shape('ok', 'big')}
      <div>
        <h1>This bundle is consistent</h1>
        <p>
          All ${count(agree)} checks agree with the evidence inside${not > 0 ? html`; ${plural(not, 'number')} can’t be checked in a browser` : nothing}. Consistent is not authentic: whoever can
          rewrite the evidence can rewrite the hashes. Compare the root hash with the one that its author published, or run <code>meshmark verify --rerun</code>.
        </p>
      </div>
      ${actions}
    </section>`;
  }

  #steps(run: OpenRun, report: Report): TemplateResult {
    const of = (wanted: (check: Check) => boolean): Check[] => report.checks.filter(wanted);
    const files = of((check) => check.protocol === null);
    const claims = of((check) => check.protocol !== null && isClaim(check));
    const trials = of((check) => check.protocol !== null && !isClaim(check));
    const not = of((check) => check.verdict === 'not_checkable');
    const published = session.site?.runs.find((offer) => offer.root === run.root);
    const step = (name: string, checks: readonly Check[], words: (agree: number, differ: number) => unknown): TemplateResult => {
      const differ = checks.filter((check) => check.verdict === 'differs').length;
      const agree = checks.filter((check) => check.verdict === 'agrees').length;
      return html`<li><span>${shape(differ > 0 ? 'diff' : agree > 0 ? 'ok' : 'unk')}</span><b>${name}</b><p>${words(agree, differ)}</p></li>`;
    };
    const told = (agree: number, differ: number): string => (agree + differ === 0 ? 'Nothing of this kind is in the file.' : differ === 0 ? `All ${count(agree)} agree.` : `${count(agree)} agree, ${count(differ)} ${differ === 1 ? 'differs' : 'differ'}.`);
    return html`<section class="panel" aria-label="Checks in order">
      <header><h2>Checks, in order</h2><span class="end small muted">${this.took === null ? nothing : duration(this.took)}</span></header>
      <ol class="steps">
        <li><span>${shape('ok')}</span><b>Container</b><p>A plain zip of ${plural(run.summary.entries.length, 'entry', 'entries')}, ${bytes(run.bundle.blob.size)}. Names are safe and unique, sizes within limits.</p></li>
        ${step('Files', files, (agree, differ) => (differ === 0 ? `All ${count(agree)} match the list of hashes inside.` : `${count(differ)} of ${count(agree + differ)} don’t match the list of hashes inside.`))}
        <li>
          <span>${shape(published ? 'ok' : 'unk')}</span><b>Root hash</b>
          <p><span class="num" title=${report.root}>${hash(report.root)}</span>${published ? ' is the one that this site offers.' : ' is not one that this site offers: compare it with the one its author published.'}</p>
        </li>
        ${step('Scores of trials', trials, told)} ${step('Claims', claims, told)}
        <li><span>${shape('unk')}</span><b>Not checked here</b><p>${not.length === 0 ? 'Whether the programs really gave these meshes: that needs a sandbox, meshmark verify --rerun.' : `${plural(not.length, 'number')} need Blender, a server or people; so does whether the programs really gave these meshes.`}</p></li>
      </ol>
    </section>`;
  }

  #claims(report: Report): TemplateResult {
    const order: Verdict[] = ['differs', 'agrees', 'not_checkable'];
    const numbers = (verdict: Verdict): number => report.checks.filter((check) => check.verdict === verdict).length;
    const rows = (this.show === 'all' ? [...report.checks] : report.checks.filter((check) => check.verdict === this.show)).sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict) || Number(a.protocol === null) - Number(b.protocol === null));
    const button = (show: Show, words: unknown, n: number): TemplateResult => html`<button aria-pressed=${this.show === show} @click=${() => ((this.show = show), (this.shown = FEW))}>${words} <span class="num">${count(n)}</span></button>`;
    return html`<section class="panel checks" aria-labelledby="checks-title">
      <header>
        <h2 id="checks-title">Numbers and files</h2>
        <span class="end"><div class="seg" role="group" aria-label="Show">
          ${button('all', 'All', report.checks.length)}
          ${button('differs', html`${shape('diff')}Differ`, numbers('differs'))} ${button('agrees', html`${shape('ok')}Agree`, numbers('agrees'))}
          ${button('not_checkable', html`${shape('unk')}Not checked`, numbers('not_checkable'))}
        </div></span>
      </header>
      ${rows.length === 0 ? html`<p class="pad muted">None.</p>` : nothing}
      <table ?hidden=${rows.length === 0}>
        <thead><tr><th scope="col">What</th><th scope="col" class="n">In the bundle</th><th scope="col" class="n">This browser</th><th scope="col">Result</th></tr></thead>
        <tbody>${rows.slice(0, this.shown).map((check) => this.#row(check))}</tbody>
      </table>
      ${rows.length > this.shown
        ? html`<p class="more"><span>${count(this.shown)} of ${count(rows.length)} shown</span> <button class="btn plain sm" @click=${() => (this.shown += 5 * FEW)}>Show more</button></p>`
        : nothing}
    </section>`;
  }

  #row({ where, protocol, claimed, recomputed, verdict, reason }: Check): TemplateResult {
    const { mark: name, title } = VERDICTS[verdict];
    return html`<tr class=${verdict === 'differs' ? 'r-diff' : nothing}>
      <th scope="row"><span class="num wrap">${where}</span>${protocol ? html`<span class="pr num quiet">${protocol}</span>` : nothing}</th>
      <td class="n">${written(claimed)}</td>
      <td class="n">${verdict === 'not_checkable' ? 'not run' : written(recomputed)}</td>
      <td>${mark(name, title)}${reason ? html`<span class="wy">${reason}</span>` : nothing}</td>
    </tr>`;
  }
}

/** A checked value: numbers with every digit, hashes cut in the middle. */
function written(value: unknown): TemplateResult {
  if (typeof value === 'number') return html`${full(value)}`;
  if (value === null || value === undefined) return html`–`;
  const number = numberIn(value);
  if (number !== null) return html`<span title=${JSON.stringify(value)}>${full(number)}</span>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[0-9a-f]{64}$/.test(text) ? html`<span title=${text}>${hash(text)}</span>` : html`<span class="wrap">${text}</span>`;
}
