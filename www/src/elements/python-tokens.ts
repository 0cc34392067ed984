/** Splits a Python program into lines of coloured pieces. The text itself is never read as markup. */
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/python';

export interface Piece {
  text: string;
  /** `k` keyword, `s` string, `c` comment, `n` number; empty for the rest. */
  kind: string;
}

const highlighter = tagHighlighter([
  { tag: tags.keyword, class: 'k' },
  { tag: [tags.string, tags.special(tags.string)], class: 's' },
  { tag: tags.comment, class: 'c' },
  { tag: [tags.number, tags.bool, tags.null], class: 'n' },
]);

/** Programs longer than this are shown plain: colouring them would hold the page up. */
const MAX_COLOURED_CHARS = 400_000;

export function pythonLines(program: string): Piece[][] {
  if (program.length > MAX_COLOURED_CHARS) return program.split('\n').map((text) => [{ text, kind: '' }]);
  const lines: Piece[][] = [[]];
  highlightCode(
    program,
    parser.parse(program),
    highlighter,
    (text, kind) => lines.at(-1)?.push({ text, kind }),
    () => lines.push([]),
  );
  return lines;
}
