import { expect, test } from 'vitest';
import { axis } from '../../src/claims';

test('an axis begins at 0, holds every value and is marked in round steps', () => {
  expect(axis([0.98])).toEqual({ high: 1, ticks: [0, 0.25, 0.5, 0.75, 1] });
  for (const most of [0.003, 0.07, 0.11, 1, 7.3, 1234]) {
    const { high, ticks } = axis([most]);
    expect(high).toBeGreaterThanOrEqual(most);
    expect(high).toBeLessThanOrEqual(most * 1.7);
    expect(ticks.length).toBeGreaterThanOrEqual(3);
    expect(ticks.length).toBeLessThanOrEqual(6);
  }
  expect(axis([]).ticks).toEqual([0, 0.5, 1]);
});
