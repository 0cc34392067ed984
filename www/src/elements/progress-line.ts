import { html, nothing, type TemplateResult } from 'lit';

/** A labelled progress bar; without a total it only says that something goes on. */
export function progressLine(label: string, done: number, total: number | null): TemplateResult {
  const part = total ? Math.min(100, (100 * done) / total) : null;
  return html`<div
    class="progress ${part === null ? 'unknown' : ''}"
    role="progressbar"
    aria-label=${label}
    aria-valuemin="0"
    aria-valuemax="100"
    aria-valuenow=${part === null ? nothing : Math.round(part)}
  >
    <i .style=${`width: ${part ?? 100}%`}></i>
  </div>`;
}
