import { html, nothing, svg, type TemplateResult } from 'lit';
import { GROUPS, groupOf, type Mark } from '../outcomes';
import type { Outcome } from '../api/format';

const COLOURS: Record<Mark, string> = { ok: 'ok', fail: 'fail', ours: 'ours', unk: 'unk', diff: 'fail', err: 'fail' };

/** A shape from the page's sprite; words always stand beside it. */
export const icon = (name: string, classes = 'ico'): TemplateResult =>
  html`<svg class=${classes} aria-hidden="true">${svg`<use href=${`#i-${name}`}></use>`}</svg>`;

/** Shape, colour and word. */
export const mark = (name: Mark, words: unknown): TemplateResult =>
  html`<span class="st ${COLOURS[name]}">${icon(name)}<b>${words}</b></span>`;

/** The shape alone, in its colour. */
export const shape = (name: Mark, classes = 'ico'): TemplateResult => icon(name, `${classes} ${COLOURS[name]}`);

/** How a trial ended, in one word or two. */
export function outcomeMark(outcome: Outcome): TemplateResult {
  const group = groupOf(outcome);
  return mark(GROUPS[group].mark, group === 'ours' ? 'Ours' : GROUPS[group].title);
}

/** A key on a keyboard, shown where a mouse is likely. */
export const key = (name: string): TemplateResult | typeof nothing => html`<kbd aria-hidden="true">${name}</kbd>`;
