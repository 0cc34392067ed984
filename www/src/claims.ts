/** A run's aggregates, and what this browser makes of each. */
import type { Claim } from './api/format';
import type { Check } from './engine/contract';

/** The table of a whole run; the others are `category:<name>`. */
export const WHOLE = 'leaderboard';
export const CATEGORY = 'category:';

export function tableTitle(table: string): string {
  return table === WHOLE ? 'All tasks' : table.startsWith(CATEGORY) ? table.slice(CATEGORY.length) : table;
}

/** How core names a claim in a check. */
export const claimPlace = ({ table, row, column }: Claim): string => `${table} ${row} ${column}`;

export function checkOf(checks: readonly Check[] | null, claim: Claim): Check | null {
  const place = claimPlace(claim);
  return checks?.find((check) => check.where === place) ?? null;
}

/** Whether a check is one of an aggregate. */
export const isClaim = ({ where, protocol }: Check): boolean => protocol !== null && (where.startsWith(`${WHOLE} `) || where.startsWith(CATEGORY));

/** The number in a checked claim; its denominator and interval are compared with it. */
export function numberIn(checked: unknown): number | null {
  const value: unknown = typeof checked === 'object' && checked !== null && 'value' in checked ? checked.value : checked;
  return typeof value === 'number' ? value : null;
}

/** Evenly spread marks of an axis that holds all values, from 0. */
export function axis(values: readonly number[]): { high: number; ticks: number[] } {
  const most = Math.max(0, ...values.filter(Number.isFinite));
  if (most === 0) return { high: 1, ticks: [0, 0.5, 1] };
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  const n = Math.ceil(most / step - 1e-9);
  return { high: n * step, ticks: Array.from({ length: n + 1 }, (_, index) => index * step) };
}
