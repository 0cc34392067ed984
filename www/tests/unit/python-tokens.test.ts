import { expect, test } from 'vitest';
import { pythonLines } from '../../src/elements/python-tokens';

const PROGRAM = 'import bpy\n# a <b>chair</b>\ntext = """two\nlines"""\nfor i in range(3):\n    print("x", 0.25)\n';

test('every character of a program is shown, line by line', () => {
  const lines = pythonLines(PROGRAM);
  expect(lines.map((pieces) => pieces.map(({ text }) => text).join('')).join('\n')).toBe(PROGRAM);
});

test('keywords, strings over several lines, comments and numbers are told apart', () => {
  const lines = pythonLines(PROGRAM);
  expect(lines[0]?.[0]).toEqual({ text: 'import', kind: 'k' });
  expect(lines[1]).toEqual([{ text: '# a <b>chair</b>', kind: 'c' }]);
  expect(lines[3]).toEqual([{ text: 'lines"""', kind: 's' }]);
  expect(lines[5]?.find(({ kind }) => kind === 'n')?.text).toBe('0.25');
});

test('what is not Python is shown all the same', () => {
  const text = 'Here is your chair:\n```\n}{ )(\n\u0000';
  expect(pythonLines(text).map((pieces) => pieces.map((piece) => piece.text).join('')).join('\n')).toBe(text);
});
