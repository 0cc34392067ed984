/** How numbers, sizes, hashes and lists are written on every page. */

const counts = new Intl.NumberFormat('en-US');

/** `1,700` */
export const count = (n: number): string => counts.format(n);

/** `1 trial`, `12 trials` */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** A score in a table: three digits after the point, without a zero before it, as tables of rates are set. */
export function short(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined) return '–';
  if (!Number.isFinite(value)) return String(value);
  return value.toFixed(digits).replace(/^(-?)0\./, '$1.');
}

/** Every digit that tells the value from its neighbours. */
export const full = (value: number): string => String(value);

/** `0.3 s`, `21 s`, `1 h 4 min` */
export function duration(seconds: number): string {
  if (seconds < 0.0995) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 59.5) return `${seconds.toFixed(seconds < 9.95 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1.9 MB` */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ['kB', 'MB', 'GB'];
  let value = n / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${units[unit]}`;
}

/** `9f3c2a71…d04be21a` */
export const hash = (hex: string): string => (hex.length > 20 ? `${hex.slice(0, 8)}…${hex.slice(-8)}` : hex);

/** A length in metres with a unit that suits it. */
export function metres(length: number): string {
  const size = Math.abs(length);
  if (size !== 0 && size < 0.01) return `${(length * 1000).toPrecision(3)} mm`;
  return size < 1000 ? `${Number(length.toPrecision(3))} m` : `${Number((length / 1000).toPrecision(3))} km`;
}

/** `67.2 %` */
export const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);

/** `−33°` with a real minus sign */
export const degrees = (angle: number): string => `${Math.round(angle)}°`.replace('-', '−').replace('−0°', '0°');
