/** Addresses: everything is in the hash, so that any static host serves every page. */

export interface Trial {
  item: string;
  source: string;
  sample: number;
  turn: number;
}

export type Route =
  | { page: 'open' }
  | { page: 'compare' }
  | { page: 'board'; root: string | null; query: URLSearchParams }
  | { page: 'run'; root: string; query: URLSearchParams }
  | { page: 'trial'; root: string; trial: Trial }
  | { page: 'verify'; root: string | null }
  | { page: 'unknown'; hash: string };

const COUNT = /^\d{1,9}$/;

/** Reads `location.hash`. */
export function parse(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  let parts: string[];
  try {
    parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return { page: 'unknown', hash };
  }
  const query = new URLSearchParams(search);
  const [page, root, item, source, sample, turn, ...rest] = parts;
  if (page === undefined) return { page: 'open' };
  if (page === 'compare' && root === undefined) return { page };
  if (page === 'board' && item === undefined) return { page, root: root ?? null, query };
  if (page === 'verify' && item === undefined) return { page, root: root ?? null };
  if (page === 'run' && root !== undefined) {
    if (item === undefined) return { page, root, query };
    if (source && sample && turn && COUNT.test(sample) && COUNT.test(turn) && rest.length === 0) {
      return { page: 'trial', root, trial: { item, source, sample: Number(sample), turn: Number(turn) } };
    }
  }
  return { page: 'unknown', hash };
}

export const boardUrl = (root?: string | null): string => (root ? `#/board/${root}` : '#/board');
export const verifyUrl = (root?: string | null): string => (root ? `#/verify/${root}` : '#/verify');

export function runUrl(root: string, query?: URLSearchParams): string {
  const search = query?.toString();
  return `#/run/${root}${search ? `?${search}` : ''}`;
}

export function trialUrl(root: string, { item, source, sample, turn }: Trial): string {
  return `#/run/${root}/${encodeURIComponent(item)}/${encodeURIComponent(source)}/${sample}/${turn}`;
}
