import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { FailureClass, Status } from '../api/format';
import { count } from '../numbers';
import { classTitle, type Group, GROUPS, statusTitle } from '../outcomes';
import { counts, type Facet, type Row } from '../trial-filter';
import { LightElement } from './light-element';
import { shape } from './mark';

const TITLES: Record<Facet, string> = { outcome: 'Outcome', status: 'Why models failed', class: 'Failure class', category: 'Category', source: 'Source' };

/** Values shown before the rest is asked for. */
const FEW = 6;

function title(facet: Facet, value: string): string {
  switch (facet) {
    case 'outcome':
      return GROUPS[value as Group].title;
    case 'status':
      return statusTitle(value as Status);
    case 'class':
      return classTitle(value as FailureClass);
    case 'category':
    case 'source':
      return value;
  }
}

/** The values of one facet with counts; a press filters by it. */
@customElement('mm-facets')
export class FacetList extends LightElement {
  @property({ attribute: false }) facet: Facet = 'outcome';
  @property({ attribute: false }) rows: readonly Row[] = [];
  @property({ attribute: false }) chosen: ReadonlySet<string> = new Set();
  @state() private all = false;

  protected override render(): TemplateResult | typeof nothing {
    const { facet, chosen } = this;
    const found = counts(this.rows, facet);
    if (facet === 'outcome') for (const group of Object.keys(GROUPS)) if (!found.has(group)) found.set(group, 0);
    // A chosen value stays in sight even when nothing has it.
    for (const value of chosen) if (!found.has(value)) found.set(value, 0);
    if (found.size === 0) return nothing;
    const most = Math.max(1, ...found.values());
    const entries = [...found];
    if (facet === 'outcome') entries.sort((a, b) => Object.keys(GROUPS).indexOf(a[0]) - Object.keys(GROUPS).indexOf(b[0]));
    const shown = this.all ? entries : entries.filter(([value], index) => index < FEW || chosen.has(value));
    const hidden = entries.length - shown.length;
    return html`<fieldset class="fac">
      <legend>${TITLES[facet]}</legend>
      <ul>
        ${shown.map(([value, n]) => {
          const group = facet === 'outcome' ? GROUPS[value as Group] : null;
          return html`<li>
            <label>
              <input type="checkbox" .checked=${chosen.has(value)} @change=${() => this.dispatchEvent(new CustomEvent('mm-toggle', { detail: value }))} />
              <span class="fl">${group ? shape(group.mark) : nothing}<span>${title(facet, value)}</span></span>
              <span class="num">${count(n)}</span>
              <i class="cbar ${group?.mark ?? ''}" .style=${`--w: ${((100 * n) / most).toFixed(1)}%`}></i>
            </label>
          </li>`;
        })}
      </ul>
      ${hidden > 0 ? html`<button class="btn plain sm" @click=${() => (this.all = true)}>${hidden} more</button>` : nothing}
    </fieldset>`;
  }
}
