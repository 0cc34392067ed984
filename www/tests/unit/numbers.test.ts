import { expect, test } from 'vitest';
import { bytes, count, degrees, duration, hash, metres, percent, plural, short } from '../../src/numbers';

test('numbers are written as tables need them', () => {
  expect(short(0.0682041)).toBe('.068');
  expect(short(-0.5)).toBe('-.500');
  expect(short(1)).toBe('1.000');
  expect(short(null)).toBe('–');
  expect(count(2544)).toBe('2,544');
  expect(plural(1, 'trial')).toBe('1 trial');
  expect(plural(0, 'entry', 'entries')).toBe('0 entries');
  expect(percent(1700, 2530)).toBe('67.2 %');
  expect(percent(0, 0)).toBe('–');
});

test('times, sizes and lengths have a unit that suits them', () => {
  expect([0.0004, 0.03, 0.3, 21.4, 125, 3840].map(duration)).toEqual(['1 ms', '30 ms', '0.3 s', '21 s', '2 min', '1 h 4 min']);
  expect([999, 1_900_000, 412_000_000, 5e12].map(bytes)).toEqual(['999 B', '1.9 MB', '412 MB', '5000 GB']);
  expect([0, 0.0034, 0.9, 12345].map(metres)).toEqual(['0 m', '3.40 mm', '0.9 m', '12.3 km']);
  expect([-33.2, -0.2, 90].map(degrees)).toEqual(['−33°', '0°', '90°']);
  expect(hash('c4'.repeat(32))).toBe('c4c4c4c4…c4c4c4c4');
});
