import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Rows kept ready above and below what is seen. */
const MARGIN_ROWS = 12;

/**
 * Which rows of a long table are worth rendering: those in sight and a few more. Works when the table scrolls in a box of
 * its own and when it scrolls with the page. All rows have one height.
 */
export class RowWindow implements ReactiveController {
  first = 0;
  last = 40;
  #count = 0;
  #frame = 0;

  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    private readonly rowHeight: () => number,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener('scroll', this.#moved, { capture: true, passive: true });
    addEventListener('resize', this.#moved);
  }

  hostDisconnected(): void {
    removeEventListener('scroll', this.#moved, { capture: true });
    removeEventListener('resize', this.#moved);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  hostUpdated(): void {
    this.measure();
  }

  /** Height that stands for the rows not rendered, above and below. */
  fill(count: number): { above: number; below: number } {
    this.#count = count;
    const height = this.rowHeight();
    return { above: Math.min(this.first, count) * height, below: Math.max(0, count - this.last) * height };
  }

  /** Brings a row into sight. */
  reveal(index: number): void {
    const body = this.host.querySelector('tbody');
    if (!body) return;
    const height = this.rowHeight();
    const box = this.#box();
    const seen = box ? box.getBoundingClientRect() : new DOMRect(0, 0, innerWidth, innerHeight);
    // The head of the table, and the strip at the foot of the page, lie over the rows.
    const top = body.getBoundingClientRect().top + index * height - seen.top - (box ? (this.host.querySelector('thead')?.clientHeight ?? 0) : 64);
    const bottom = top + height + (box ? (this.host.querySelector('thead')?.clientHeight ?? 0) : 128) - seen.height;
    const by = top < 0 ? top : bottom > 0 ? bottom : 0;
    (box ?? document.scrollingElement)?.scrollBy({ top: by });
  }

  measure(): void {
    const body = this.host.querySelector('tbody');
    if (!body) return;
    const height = this.rowHeight();
    const seen = this.#box()?.getBoundingClientRect() ?? new DOMRect(0, 0, innerWidth, innerHeight);
    const start = (seen.top - body.getBoundingClientRect().top) / height;
    const first = Math.max(0, Math.floor(start) - MARGIN_ROWS);
    const last = Math.min(this.#count, Math.ceil(start + seen.height / height) + MARGIN_ROWS);
    if (first === this.first && last === this.last) return;
    this.first = first;
    this.last = Math.max(last, first);
    this.host.requestUpdate();
  }

  /** The box that scrolls, or null when the page does. */
  #box(): HTMLElement | null {
    const box = this.host.querySelector<HTMLElement>('.scroll');
    return box && getComputedStyle(box).overflowY === 'auto' ? box : null;
  }

  readonly #moved = (): void => {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.measure();
    });
  };
}
