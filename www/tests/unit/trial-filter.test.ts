import { expect, test } from 'vitest';
import type { Attempt, Item, Outcome } from '../../src/api/format';
import { counts, isEmpty, passing, read, row, sorted, toggled, write } from '../../src/trial-filter';

const ok: Outcome = {
  kind: 'mesh', status: 'OK', official_status: 'OK', exception: null, failure_class: null, fingerprint: null, message: 'Ran.', n_meshes: 1, triangles: 12, protocol: 'exec/meshmark@1',
};
const failed: Outcome = {
  ...ok, kind: 'mesh', status: 'ERR_EXEC', failure_class: 'B5-API', exception: { type: 'AttributeError', message: 'no use_auto_smooth', line: 3, traceback: '' },
};
const ours: Outcome = { kind: 'ours', stage: 'render', message: 'The renderer stopped.' };

function attempt(item: string, source: string, outcome: Outcome, chamfer: number | null): Attempt {
  return {
    item, source, sample: 0, turn: 0, outcome, answer: { response: null, program: null }, mesh: null, log: null, tokens: null, cost_usd: null,
    measurements: chamfer === null ? [] : [{ protocol: 'chamfer/upright@1', value: chamfer, recomputable: 'browser' }],
  };
}

const item = (id: string, category: string): Item => ({ id, category, prompt: `Make a ${category}.`, reference: { outcome: null, mesh: null } });
const rows = [
  row(0, attempt('Chair_10', 'a', ok, 0.2), item('Chair_10', 'Chair'), 3),
  row(1, attempt('Chair_2', 'a', failed, null), item('Chair_2', 'Chair'), null),
  row(2, attempt('Vase_1', 'b', ours, null), item('Vase_1', 'Vase'), 1),
  row(3, attempt('Vase_1', 'a', ok, 0.1), item('Vase_1', 'Vase'), 2),
];
const none = read(new URLSearchParams());
const indices = (found: readonly { index: number }[]): number[] => found.map(({ index }) => index);

test('facets are alternatives within and conditions between', () => {
  const executed = toggled(none, 'outcome', 'executed');
  expect(indices(passing(rows, executed))).toEqual([0, 3]);
  expect(indices(passing(rows, toggled(executed, 'outcome', 'ours')))).toEqual([0, 2, 3]);
  expect(indices(passing(rows, toggled(executed, 'category', 'Vase')))).toEqual([3]);
  expect(isEmpty(toggled(executed, 'outcome', 'executed'))).toBe(true);
});

test('a facet counts what would be there without itself', () => {
  const chairs = toggled(none, 'category', 'Chair');
  expect([...counts(passing(rows, chairs, 'category'), 'category')]).toEqual([['Chair', 2], ['Vase', 2]]);
  expect([...counts(passing(rows, chairs), 'class')]).toEqual([['B5-API', 1]]);
});

test('the search looks into tasks, prompts, sources and errors, for every word', () => {
  expect(indices(passing(rows, { ...none, text: 'USE_AUTO' }))).toEqual([1]);
  expect(indices(passing(rows, { ...none, text: 'make vase renderer' }))).toEqual([2]);
  expect(passing(rows, { ...none, text: 'lamp' })).toEqual([]);
});

test('sorting reads numbers in names and leaves missing values at the end, both ways', () => {
  expect(indices(sorted(rows, { ...none, sort: 'task', down: false }))).toEqual([1, 0, 2, 3]);
  expect(indices(sorted(rows, { ...none, sort: 'chamfer', down: false }))).toEqual([3, 0, 1, 2]);
  expect(indices(sorted(rows, { ...none, sort: 'chamfer', down: true }))).toEqual([0, 3, 1, 2]);
  expect(indices(sorted(rows, { ...none, sort: 'outcome', down: false }))).toEqual([0, 3, 1, 2]);
});

test('a filter survives its address', () => {
  const filter = { ...toggled(toggled(none, 'source', 'gpt-5.5@high'), 'class', 'B5-API'), text: 'a & b', sort: 'time' as const, down: true };
  expect(read(new URLSearchParams(write(filter).toString()))).toEqual(filter);
});
