import { session } from '../session';
import { LightElement } from './light-element';

/** An element that shows what is open in this tab, and is rendered again whenever that changes. */
export class SessionElement extends LightElement {
  readonly #changed = (): void => this.requestUpdate();

  override connectedCallback(): void {
    super.connectedCallback();
    session.addEventListener('change', this.#changed);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    session.removeEventListener('change', this.#changed);
  }
}
