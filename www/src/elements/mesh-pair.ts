import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { View } from '../api/format';
import type { Pictures } from '../pictures';
import { LightElement } from './light-element';
import { key, shape } from './mark';
import './mesh-view';
import type { MeshView } from './mesh-view';
import './stored-views';

/** One side of a pair. */
export interface Side {
  label: string;
  glb: Uint8Array | null;
  triangles: number;
  views: readonly View[];
  /** Shown in place of a mesh that doesn't exist. */
  instead: TemplateResult | null;
}

/** Two meshes side by side whose cameras turn together, or the stored pictures where nothing can be drawn. */
@customElement('mm-mesh-pair')
export class MeshPair extends LightElement {
  @property({ attribute: false }) sides: readonly [Side, Side] | null = null;
  @property({ attribute: false }) pictures: Pictures | null = null;
  @state() private linked = true;
  @state() private no3d: string | null = null;
  @state() private showStored = false;

  toggleLink = (): void => {
    this.linked = !this.linked;
    if (this.linked) this.#follow(this.#views()[0]);
  };

  reset = (): void => {
    for (const view of this.#views()) view.reset();
  };

  #views(): MeshView[] {
    return [...this.querySelectorAll('mm-mesh-view')];
  }

  readonly #camera = (event: Event): void => {
    if (this.linked) this.#follow(event.target as MeshView);
  };

  #follow(leader: MeshView | undefined): void {
    const pose = leader?.pose;
    if (!pose) return;
    for (const view of this.#views()) if (view !== leader) view.pose = pose;
  }

  readonly #without = (event: CustomEvent<string>): void => {
    this.no3d = event.detail;
  };

  protected override render(): TemplateResult | typeof nothing {
    if (!this.sides) return nothing;
    const hasViews = this.sides.some((side) => side.views.length > 0);
    const stored = this.no3d !== null || this.showStored;
    return html`<div class="vt">
        ${hasViews && this.no3d === null
          ? html`<div class="seg" role="group" aria-label="Show">
              <button aria-pressed=${!stored} @click=${() => (this.showStored = false)}>3D</button>
              <button aria-pressed=${stored} @click=${() => (this.showStored = true)}>Stored pictures</button>
            </div>`
          : nothing}
        ${stored
          ? nothing
          : html`<div class="end">
              <button class="switch" role="switch" aria-checked=${this.linked} @click=${this.toggleLink}><i></i>Link cameras ${key('c')}</button>
              <button class="btn plain sm" @click=${this.reset}>Reset view ${key('r')}</button>
            </div>`}
      </div>
      ${this.no3d
        ? html`<p class="vp-fallback">
            ${shape('unk')}
            <span>${hasViews ? 'The stored pictures are shown' : 'There is no 3D view'}, because ${this.no3d}. The scores don’t depend on it.</span>
          </p>`
        : nothing}
      <div class="two" @mm-camera=${this.#camera} @mm-no-3d=${this.#without}>${this.sides.map((side) => this.#side(side, stored))}</div>`;
  }

  #side(side: Side, stored: boolean): TemplateResult {
    if (side.instead && !side.glb) {
      return html`<div class="vp none"><span class="tag"><b>${side.label}</b></span><div class="none-msg">${side.instead}</div></div>`;
    }
    if (stored) {
      return html`<div class="vp">
        <mm-stored-views .views=${side.views} .pictures=${this.pictures} .label=${side.label}></mm-stored-views>
      </div>`;
    }
    return html`<div class="vp">
      <mm-mesh-view .glb=${side.glb} .label=${side.label} .triangles=${side.triangles}></mm-mesh-view>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'mm-mesh-pair': MeshPair;
  }
}
