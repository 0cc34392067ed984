/** The words for what is measured; the definitions themselves come from core. */

const COLUMNS: Record<string, { title: string; note: string }> = {
  executed: { title: 'Executed', note: 'more is better' },
  chamfer_conditional: { title: 'Chamfer, of those that ran', note: 'less is better' },
  chamfer_penalized: { title: 'Chamfer, failures penalized', note: 'less is better' },
};

export const columnTitle = (column: string): string => COLUMNS[column]?.title ?? column.replaceAll('_', ' ');
export const columnNote = (column: string): string => COLUMNS[column]?.note ?? '';

/** Columns in the order in which tables show them. */
export function inOrder(columns: Iterable<string>): string[] {
  const known = Object.keys(COLUMNS);
  const place = (column: string): number => (known.includes(column) ? known.indexOf(column) : known.length);
  return [...new Set(columns)].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

const PROTOCOLS: [string, string][] = [
  ['chamfer/upright', 'Chamfer, upright'],
  ['chamfer/official', 'Chamfer, official'],
  ['exec/', 'Executed'],
  ['views/', 'Pictures'],
];

/** A short name of what a protocol gives. */
export function measureTitle(protocol: string): string {
  return PROTOCOLS.find(([start]) => protocol.startsWith(start))?.[1] ?? protocol.split('@')[0] ?? protocol;
}
