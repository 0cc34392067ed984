import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { asRefusal } from '../engine/contract';
import { type Camera, createViewer, missing, type Viewer } from '../engine/views';
import { count, degrees } from '../numbers';
import { type Pose, posed, poseOf } from './camera-link';
import { LightElement } from './light-element';
import { shape } from './mark';

/** Degrees turned by one press of an arrow key, and by one pixel of a drag. */
const KEY_TURN_DEG = 15;
const DRAG_TURN_DEG = 0.5;
/** Zoom of one press of a key, and of one unit of a wheel. */
const KEY_ZOOM = 1.2;
const WHEEL_ZOOM = 0.0015;
/** Pixels moved by Shift and an arrow key. */
const KEY_PAN = 24;

/** A mesh in 3D: turn, move and zoom with mouse, touch or keyboard. Tells `mm-camera` when the reader moved it. */
@customElement('mm-mesh-view')
export class MeshView extends LightElement {
  /** The GLB; null shows nothing. */
  @property({ attribute: false }) glb: Uint8Array | null = null;
  @property() label = 'Mesh';
  @property({ type: Number }) triangles = 0;
  @state() private problem: string | null = null;
  @state() private drawn = false;
  @state() private azimuth: number | null = null;
  @state() private elevation = 0;
  #viewer: Viewer | null = null;
  #fitting: Camera | null = null;
  #frame = 0;
  #shownGlb: Uint8Array | null = null;
  readonly #pointers = new Map<number, PointerEvent>();
  readonly #resizes = new ResizeObserver(() => this.#resize());

  get canvas(): HTMLCanvasElement | null {
    return this.querySelector('canvas');
  }

  /** Red, green, blue and alpha of what is drawn. */
  readPixels(): Promise<Uint8Array> | null {
    return this.#viewer?.readPixels() ?? null;
  }

  /** Where the reader looks from, or null while nothing is drawn. */
  get pose(): Pose | null {
    return this.#viewer && this.#fitting ? poseOf(this.#viewer.camera() as Camera, this.#fitting) : null;
  }

  set pose(pose: Pose | null) {
    if (!pose || !this.#viewer || !this.#fitting) return;
    this.#viewer.setCamera(posed(pose, this.#fitting));
    this.#draw();
  }

  reset(): void {
    this.#viewer?.reset();
    this.#draw();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resizes.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#viewer?.free();
    this.#viewer = null;
    this.#shownGlb = null;
    this.drawn = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) void this.updateComplete.then(() => this.#start());
  }

  protected override firstUpdated(): void {
    void this.#start();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('glb')) this.#show();
  }

  async #start(): Promise<void> {
    const reason = missing();
    if (reason) return this.#fail(reason);
    const { canvas } = this;
    if (!canvas || this.#viewer) return;
    try {
      const viewer = await createViewer(canvas);
      if (!this.isConnected) {
        viewer.free();
        return;
      }
      this.#viewer = viewer;
      // `passive: false`: the wheel zooms the mesh, it doesn't scroll the page.
      canvas.addEventListener('wheel', this.#wheel, { passive: false });
      this.#resizes.observe(canvas);
      this.#resize();
      this.#show();
    } catch (thrown) {
      this.#fail(asRefusal(thrown).message);
    }
  }

  /** Without WebGPU the page shows stored pictures: it is told once. */
  #fail(reason: string): void {
    this.dispatchEvent(new CustomEvent('mm-no-3d', { detail: reason, bubbles: true }));
    this.problem = `No 3D view here: ${reason}.`;
  }

  #show(): void {
    const viewer = this.#viewer;
    if (!viewer || this.glb === this.#shownGlb) return;
    this.#shownGlb = this.glb;
    this.problem = null;
    try {
      if (this.glb) {
        viewer.setMesh(this.glb);
        viewer.reset();
        this.#fitting = viewer.camera() as Camera;
      } else {
        viewer.clear();
        this.#fitting = null;
      }
      this.#draw();
    } catch (thrown) {
      viewer.clear();
      this.#fitting = null;
      const { where, message } = asRefusal(thrown);
      this.problem = `This mesh can’t be drawn: ${message}${where ? ` (${where})` : ''}`;
      this.#draw();
    }
  }

  #resize(): void {
    const { canvas } = this;
    if (!canvas || !this.#viewer || canvas.clientWidth === 0 || canvas.clientHeight === 0) return;
    this.#viewer.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);
    this.#draw();
  }

  /** Draws once in the next frame, however often it is asked before. */
  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.#viewer) return;
      this.#viewer.render();
      const camera = this.#viewer.camera() as Camera;
      this.azimuth = this.#fitting ? camera.azimuth_deg : null;
      this.elevation = camera.elevation_deg;
      if (this.#fitting && !this.drawn) {
        this.drawn = true;
        performance.mark('meshmark:mesh');
        this.dispatchEvent(new CustomEvent('mm-drawn', { bubbles: true }));
      }
    });
  }

  #moved(): void {
    this.#draw();
    this.dispatchEvent(new CustomEvent('mm-camera', { bubbles: true }));
  }

  readonly #wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 16 : event.deltaY;
    this.#viewer?.zoom(Math.exp(-pixels * WHEEL_ZOOM));
    this.#moved();
  };

  readonly #down = (event: PointerEvent): void => {
    this.canvas?.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, event);
  };

  readonly #up = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId);
  };

  readonly #move = (event: PointerEvent): void => {
    const before = this.#pointers.get(event.pointerId);
    if (!before || !this.#viewer) return;
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    const other = [...this.#pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    if (other) {
      const spread = (from: PointerEvent): number => Math.hypot(from.clientX - other.clientX, from.clientY - other.clientY);
      this.#viewer.zoom(spread(event) / Math.max(1, spread(before)));
      this.#viewer.pan(dx / 2, dy / 2);
    } else if (event.shiftKey || (event.buttons & 6) !== 0) {
      this.#viewer.pan(dx, dy);
    } else {
      this.#viewer.orbit(-dx * DRAG_TURN_DEG, dy * DRAG_TURN_DEG);
    }
    this.#pointers.set(event.pointerId, event);
    this.#moved();
  };

  readonly #keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#viewer) return;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (arrow) {
      const [x = 0, y = 0] = arrow;
      if (event.shiftKey) this.#viewer.pan(x * KEY_PAN, y * KEY_PAN);
      else this.#viewer.orbit(x * KEY_TURN_DEG, -y * KEY_TURN_DEG);
    } else if (event.key === '+' || event.key === '=') this.#viewer.zoom(KEY_ZOOM);
    else if (event.key === '-' || event.key === '−') this.#viewer.zoom(1 / KEY_ZOOM);
    else if (event.key === 'r' || event.key === 'Home') this.#viewer.reset();
    else return;
    event.preventDefault();
    this.#moved();
  };

  protected override render(): TemplateResult {
    return html`<canvas
        tabindex="0"
        role="application"
        aria-roledescription="3D view"
        aria-label=${`${this.label}, ${count(this.triangles)} triangles. Arrows turn it, Shift and arrows move it, plus and minus zoom, r resets.`}
        @pointerdown=${this.#down}
        @pointermove=${this.#move}
        @pointerup=${this.#up}
        @pointercancel=${this.#up}
        @contextmenu=${(event: Event) => event.preventDefault()}
        @keydown=${this.#keys}
      ></canvas>
      <span class="tag"><b>${this.label}</b></span>
      ${this.problem ? html`<p class="vp-note" role="alert">${shape('err')} <span>${this.problem}</span></p>` : nothing}
      ${this.drawn
        ? html`<div class="vfoot">
            <span>${count(this.triangles)} triangles</span>
            ${this.azimuth === null ? nothing : html`<span class="end hide-s">az ${degrees(this.azimuth)} el ${degrees(this.elevation)}</span>`}
          </div>`
        : nothing}`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'mm-mesh-view': MeshView;
  }
}
