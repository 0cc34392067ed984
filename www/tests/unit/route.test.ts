import { expect, test } from 'vitest';
import { parse, runUrl, trialUrl } from '../../src/route';

const ROOT = 'c4'.repeat(32);

test('an address of a trial is read as it was written, whatever is in the names', () => {
  for (const trial of [
    { item: 'Chair_seed0', source: 'careful', sample: 0, turn: 0 },
    { item: '椅子', source: 'gpt-5.5@high', sample: 3, turn: 12 },
    { item: 'a+b', source: 'x=(1),y', sample: 0, turn: 1 },
  ]) {
    expect(parse(trialUrl(ROOT, trial))).toEqual({ page: 'trial', root: ROOT, trial });
  }
});

test('filters stay in the address of a run', () => {
  const route = parse(runUrl(ROOT, new URLSearchParams([['source', 'a b'], ['source', 'c&d'], ['q', '100 %']])));
  expect(route.page).toBe('run');
  if (route.page === 'run') {
    expect(route.query.getAll('source')).toEqual(['a b', 'c&d']);
    expect(route.query.get('q')).toBe('100 %');
  }
});

test.each([
  ['', 'open'],
  ['#/', 'open'],
  ['#/board', 'board'],
  [`#/board/${ROOT}`, 'board'],
  ['#/verify', 'verify'],
  ['#/compare', 'compare'],
  [`#/run/${ROOT}`, 'run'],
  [`#/run/${ROOT}/Chair/careful/0`, 'unknown'],
  [`#/run/${ROOT}/Chair/careful/-1/0`, 'unknown'],
  [`#/run/${ROOT}/Chair/careful/0/0/more`, 'unknown'],
  ['#/run', 'unknown'],
  ['#/%E0%A4%A', 'unknown'],
  ['#/nowhere', 'unknown'],
])('%s is the page %s', (hash, page) => {
  expect(parse(hash).page).toBe(page);
});
