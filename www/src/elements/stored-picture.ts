import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Pictures } from '../pictures';
import { LightElement } from './light-element';

/** A picture out of the bundle. */
@customElement('mm-picture')
export class StoredPicture extends LightElement {
  @property({ attribute: false }) pictures: Pictures | null = null;
  @property({ attribute: false }) path: string | null = null;
  @property() alt = '';
  @state() private url: string | null = null;
  @state() private broken = false;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('path') && !changed.has('pictures')) return;
    this.url = null;
    this.broken = false;
    const { path, pictures } = this;
    if (!path || !pictures) return;
    pictures.url(path).then(
      (url) => {
        if (this.path === path) this.url = url;
      },
      () => {
        if (this.path === path) this.broken = true;
      },
    );
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.broken) return html`<span class="small">This picture can’t be read from the file.</span>`;
    return this.url ? html`<img src=${this.url} alt=${this.alt} decoding="async" @error=${() => (this.broken = true)} />` : nothing;
  }
}
