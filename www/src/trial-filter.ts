/** Which trials of a run are shown, in which order: read from the address, and written to it. */
import type { Attempt, Item } from './api/format';
import { classOf, type Group, groupOf, measured, statusOf } from './outcomes';

export const FACETS = ['outcome', 'status', 'class', 'category', 'source'] as const;
export type Facet = (typeof FACETS)[number];

export const SORTS = ['task', 'category', 'source', 'outcome', 'chamfer', 'time'] as const;
export type Sort = (typeof SORTS)[number];

export interface Filter {
  chosen: Record<Facet, ReadonlySet<string>>;
  text: string;
  sort: Sort | null;
  down: boolean;
}

/** A trial with what the table needs of it. */
export interface Row {
  index: number;
  attempt: Attempt;
  item: Item | undefined;
  values: Record<Facet, string>;
  chamfer: number | null;
  seconds: number | null;
  /** What the search looks into, in small letters. */
  haystack: string;
}

export function row(index: number, attempt: Attempt, item: Item | undefined, seconds: number | null): Row {
  const { outcome } = attempt;
  const told = outcome.kind === 'mesh' ? [outcome.message, outcome.fingerprint ?? '', outcome.exception?.message ?? ''] : [outcome.message];
  return {
    index,
    attempt,
    item,
    values: {
      outcome: groupOf(outcome),
      status: groupOf(outcome) === 'model' ? statusOf(outcome) : '',
      class: classOf(outcome) ?? '',
      category: item?.category ?? '',
      source: attempt.source,
    },
    chamfer: measured(attempt, 'chamfer/upright'),
    seconds,
    haystack: [attempt.item, attempt.source, item?.category ?? '', item?.prompt ?? '', statusOf(outcome), ...told].join('\n').toLowerCase(),
  };
}

export function read(query: URLSearchParams): Filter {
  const chosen = Object.fromEntries(FACETS.map((facet) => [facet, new Set(query.getAll(facet))])) as unknown as Filter['chosen'];
  const order = query.get('sort') ?? '';
  const sort = SORTS.find((name) => name === order.replace(/^-/, '')) ?? null;
  return { chosen, text: query.get('q') ?? '', sort, down: order.startsWith('-') };
}

export function write({ chosen, text, sort, down }: Filter): URLSearchParams {
  const query = new URLSearchParams();
  for (const facet of FACETS) for (const value of chosen[facet]) query.append(facet, value);
  if (text !== '') query.set('q', text);
  if (sort) query.set('sort', down ? `-${sort}` : sort);
  return query;
}

/** With one value of a facet turned on or off. */
export function toggled(filter: Filter, facet: Facet, value: string): Filter {
  const values = new Set(filter.chosen[facet]);
  if (!values.delete(value)) values.add(value);
  return { ...filter, chosen: { ...filter.chosen, [facet]: values } };
}

export function isEmpty(filter: Filter): boolean {
  return filter.text === '' && FACETS.every((facet) => filter.chosen[facet].size === 0);
}

/** The rows that pass, but for the facet named: what its own counts are made from. */
export function passing(rows: readonly Row[], filter: Filter, but: Facet | null = null): Row[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const facets = FACETS.filter((facet) => facet !== but && filter.chosen[facet].size > 0);
  return rows.filter((row) => facets.every((facet) => filter.chosen[facet].has(row.values[facet])) && words.every((word) => row.haystack.includes(word)));
}

const GROUP_ORDER: Group[] = ['executed', 'model', 'ours'];

/** Sorted as the filter says; equal rows, and rows without a value, keep the order of the run, the latter at the end. */
export function sorted(rows: readonly Row[], { sort, down }: Filter): Row[] {
  if (!sort) return [...rows];
  const value = (row: Row): string | number | null => {
    switch (sort) {
      case 'task':
        return row.attempt.item;
      case 'category':
        return row.values.category;
      case 'source':
        return row.attempt.source;
      case 'outcome':
        return `${GROUP_ORDER.indexOf(groupOf(row.attempt.outcome))}${statusOf(row.attempt.outcome)}`;
      case 'chamfer':
        return row.chamfer;
      case 'time':
        return row.seconds;
    }
  };
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order = typeof left === 'number' && typeof right === 'number' ? left - right : String(left).localeCompare(String(right), 'en', { numeric: true });
    return sign * order;
  });
}

/** How many rows have each value of a facet, most first. */
export function counts(rows: readonly Row[], facet: Facet): Map<string, number> {
  const found = new Map<string, number>();
  for (const { values } of rows) if (values[facet] !== '') found.set(values[facet], (found.get(values[facet]) ?? 0) + 1);
  return new Map([...found].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])));
}
