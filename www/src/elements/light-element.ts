import { LitElement } from 'lit';

/**
 * An element without a shadow root. One style sheet then reaches every page, labels and hash links work across elements,
 * and the policy of the page needs no inline styles.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
