import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { asRefusal, type Protocol } from '../engine/contract';
import { protocols } from '../engine/scores';
import { LightElement } from './light-element';

const BETTER = { less: 'Less is better.', more: 'More is better.', neither: 'Not a measure of quality.' };

/** What a protocol id means, in core's own words; joined ids are explained one after the other. */
@customElement('mm-protocol')
export class ProtocolCard extends LightElement {
  @property() protocol = '';
  @state() private known: ReadonlyMap<string, Protocol> | null = null;
  @state() private problem = '';

  override connectedCallback(): void {
    super.connectedCallback();
    protocols().then(
      (all) => (this.known = new Map(all.map((protocol) => [protocol.id, protocol]))),
      (thrown: unknown) => (this.problem = asRefusal(thrown).message),
    );
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.problem) return html`<p>The definitions can’t be shown: ${this.problem}</p>`;
    const { known } = this;
    if (!known) return nothing;
    return html`<dl class="protocols">
      ${this.protocol.split('+').map((id) => {
        const found = known.get(id);
        if (!found) return html`<dt class="num">${id}</dt><dd>This page doesn’t know it: the bundle may come from a newer Meshmark.</dd>`;
        return html`<dt><span class="num">${id}</span> <strong>${found.title}</strong></dt>
          <dd>${found.definition} ${BETTER[found.better]} <span class="quiet">Source: ${found.source}</span></dd>`;
      })}
    </dl>`;
  }
}
