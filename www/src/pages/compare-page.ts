import { html, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { problemCard } from '../elements/bundle-gate';
import { chooseFiles } from '../elements/file-chooser';
import { SessionElement } from '../elements/session-element';
import { mark } from '../elements/mark';
import '../elements/mesh-pair';
import type { Side } from '../elements/mesh-pair';
import '../elements/protocol-card';
import { shortcut } from '../elements/shortcuts';
import { asRefusal, type Comparison, type Facts, type Inspection, type Protocol } from '../engine/contract';
import { compare, inspect, protocols } from '../engine/scores';
import { bytes, count, degrees, duration, full, metres } from '../numbers';
import { type LooseMesh, session } from '../session';

const SLOTS = ['Reference', 'Candidate'] as const;

/** Two loose meshes: side by side, their facts, and the distance between them. */
@customElement('mm-compare-page')
export class ComparePage extends SessionElement {
  @state() private inspections: [Inspection | null, Inspection | null] = [null, null];
  @state() private measures: Protocol[] = [];
  @state() private protocol = '';
  @state() private result: Comparison | null = null;
  @state() private took = 0;
  @state() private busy = false;
  @state() private problem = '';
  #seen: [LooseMesh | null, LooseMesh | null] = [null, null];

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('keydown', this.#keys);
    protocols().then(
      (all) => {
        this.measures = all.filter((protocol) => protocol.id.startsWith('chamfer/'));
        this.protocol = this.measures.find((protocol) => protocol.id.startsWith('chamfer/upright'))?.id ?? this.measures[0]?.id ?? '';
        void this.#measure();
      },
      (thrown: unknown) => (this.problem = asRefusal(thrown).message),
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('keydown', this.#keys);
  }

  readonly #keys = (event: KeyboardEvent): void => {
    const pressed = shortcut(event);
    if (pressed === 'c') this.querySelector('mm-mesh-pair')?.toggleLink();
    else if (pressed === 'r') this.querySelector('mm-mesh-pair')?.reset();
  };

  protected override willUpdate(): void {
    const { pair } = session;
    const changed = pair.map((mesh, side) => mesh !== this.#seen[side]);
    if (!changed.includes(true)) return;
    this.#seen = [...pair];
    this.inspections = [null, null];
    this.result = null;
    void this.#inspect();
  }

  async #inspect(): Promise<void> {
    const pair = this.#seen;
    try {
      const told = await Promise.all(pair.map((mesh) => (mesh ? inspect(mesh.bytes) : null)));
      if (pair !== this.#seen) return;
      this.inspections = [told[0] ?? null, told[1] ?? null];
      await this.#measure();
    } catch (thrown) {
      if (pair === this.#seen) this.problem = asRefusal(thrown).message;
    }
  }

  async #measure(): Promise<void> {
    const pair = this.#seen;
    const { protocol } = this;
    const [reference, candidate] = pair;
    this.result = null;
    this.problem = '';
    if (!reference || !candidate || protocol === '' || this.inspections.some((told) => !told || 'refused' in told)) return;
    this.busy = true;
    const start = performance.now();
    try {
      const result = await compare(reference.bytes, candidate.bytes, protocol);
      if (pair === this.#seen && protocol === this.protocol) {
        this.result = result;
        this.took = (performance.now() - start) / 1000;
      }
    } catch (thrown) {
      if (pair === this.#seen) this.problem = asRefusal(thrown).message;
    }
    this.busy = false;
  }

  protected override render(): TemplateResult {
    const { pair } = session;
    return html`<main id="main" class="page compare" tabindex="-1">
      <header class="hd">
        <div><h1>Compare two meshes</h1><p>Drop two <span class="num">.glb</span> files, or choose them one by one. They are measured here and sent nowhere.</p></div>
        <div class="filters">
          <button class="btn" ?disabled=${!pair[0] && !pair[1]} @click=${() => session.swapPair()}>Swap</button>
        </div>
      </header>
      ${session.problem ? problemCard() : nothing}
      <section class="panel view" aria-label="Reference and candidate"><mm-mesh-pair .sides=${[this.#side(0), this.#side(1)]}></mm-mesh-pair></section>
      <div class="compare-low">${this.#score()} ${this.#facts(0)} ${this.#facts(1)}</div>
    </main>`;
  }

  #side(slot: 0 | 1): Side {
    const mesh = session.pair[slot];
    const told = this.inspections[slot];
    const refused = told && 'refused' in told ? told.refused : null;
    const choose = (): void => {
      void chooseFiles('.glb', false).then(([file]) => (file ? session.setMesh(slot, file) : undefined));
    };
    const facts = told && !refused ? (told as Facts) : null;
    return {
      label: SLOTS[slot],
      glb: mesh && facts ? mesh.bytes : null,
      triangles: facts?.triangles ?? 0,
      views: [],
      instead: refused
        ? html`${mark('err', 'This mesh is refused')}<p>${refused.message}</p><p class="num small">${refused.kind}${refused.where ? `, ${refused.where}` : ''}</p><button class="btn" @click=${choose}>Choose another…</button>`
        : mesh
          ? facts ? null : html`<p class="muted">Reading ${mesh.name}…</p>`
          : html`<p>No ${SLOTS[slot].toLowerCase()} yet.</p><button class="btn" @click=${choose}>Choose a .glb…</button>`,
    };
  }

  #score(): TemplateResult {
    const { result } = this;
    return html`<section class="panel" aria-labelledby="distance-title">
      <header>
        <h2 id="distance-title">Distance</h2>
        <span class="end"><label class="field row">Protocol
          <select class="sel" @change=${(event: Event) => { this.protocol = (event.target as HTMLSelectElement).value; void this.#measure(); }}>
            ${this.measures.map(({ id, title }) => html`<option value=${id} title=${title} ?selected=${id === this.protocol}>${id}</option>`)}
          </select></label></span>
      </header>
      <div class="insp" role="status">
        ${this.problem
          ? html`<p>${mark('err', this.problem)}</p>`
          : result
            ? html`<p class="big"><span class="num" id="distance">${full(result.value)}</span> <span class="muted">in ${duration(this.took)}</span></p>
                <dl class="facts">
                  ${result.yaw_deg === undefined || result.yaw_deg === null ? nothing : html`<dt>Best yaw</dt><dd class="num">${degrees(result.yaw_deg)}</dd>`}
                  ${result.per_yaw ? html`<dt>Per yaw</dt><dd class="num">${result.per_yaw.map((value) => value.toFixed(6)).join('  ')}</dd>` : nothing}
                  ${result.noise_floor === undefined || result.noise_floor === null ? nothing : html`<dt>Noise floor</dt><dd class="num">${full(result.noise_floor)}</dd>`}
                </dl>`
            : html`<p class="muted">${this.busy ? 'Measuring…' : 'Two meshes are needed.'}</p>`}
        ${this.protocol ? html`<mm-protocol .protocol=${this.protocol}></mm-protocol>` : nothing}
      </div>
    </section>`;
  }

  #facts(slot: 0 | 1): TemplateResult {
    const mesh = session.pair[slot];
    const told = this.inspections[slot];
    const name = SLOTS[slot];
    return html`<section class="panel" aria-label=${`Facts of the ${name.toLowerCase()}`}>
      <header><h2>${name}</h2><span class="end small muted file-name" title=${mesh?.name ?? ''}>${mesh?.name ?? 'none'}</span></header>
      <div class="pad">
        ${!mesh ? html`<p class="muted">No file.</p>` : !told ? html`<p class="muted">Reading…</p>` : 'refused' in told ? html`<p>${mark('err', told.refused.message)}</p>` : this.#list(told, mesh)}
      </div>
    </section>`;
  }

  #list({ triangles, vertices, area, bounds, nodes_with_mesh, components, warnings }: Facts, mesh: LooseMesh): TemplateResult {
    const size = bounds ? [0, 1, 2].map((axis) => metres((bounds[1][axis] ?? 0) - (bounds[0][axis] ?? 0))).join(' × ') : 'none';
    return html`<dl class="facts">
        <dt>Triangles</dt><dd class="num">${count(triangles)}</dd>
        <dt>Vertices</dt><dd class="num">${count(vertices)}</dd>
        <dt>Area</dt><dd class="num">${area.toPrecision(6)} m²</dd>
        <dt>Size</dt><dd class="num">${size}</dd>
        <dt>Mesh nodes</dt><dd class="num">${count(nodes_with_mesh)}</dd>
        <dt>Components</dt><dd class="num">${count(components)}</dd>
        <dt>File</dt><dd class="num">${bytes(mesh.bytes.byteLength)}</dd>
      </dl>
      ${warnings.length > 0 ? html`<ul class="warnings">${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>` : nothing}`;
  }
}
