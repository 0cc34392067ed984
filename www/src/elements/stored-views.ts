import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { View } from '../api/format';
import { degrees } from '../numbers';
import type { Pictures } from '../pictures';
import { LightElement } from './light-element';
import './stored-picture';

/** The pictures that were rendered when the trial ran. */
@customElement('mm-stored-views')
export class StoredViews extends LightElement {
  @property({ attribute: false }) views: readonly View[] = [];
  @property({ attribute: false }) pictures: Pictures | null = null;
  @property() label = '';

  protected override render(): TemplateResult | typeof nothing {
    if (this.views.length === 0) return html`<p class="vp-note">No pictures were stored.</p>`;
    return html`<ul class="views" aria-label=${`${this.label}, stored pictures`}>
      ${this.views.map(
        ({ azimuth_deg, protocol, picture }) => html`<li>
          <mm-picture .pictures=${this.pictures} .path=${picture} .alt=${`${this.label} from ${degrees(azimuth_deg)}`}></mm-picture>
          <span class="cap"><span class="num">${degrees(azimuth_deg)}</span> <span class="num hide-s">${protocol}</span></span>
        </li>`,
      )}
    </ul>`;
  }
}
