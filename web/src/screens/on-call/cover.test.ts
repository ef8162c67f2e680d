import { expect, test } from 'vitest';
import type { ShiftRecord } from '@/api';
import { canCover } from '@/screens/on-call/cover';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const shift = (endsAt: string, ...ids: string[]) =>
  ({ startsAt: '2026-11-30T00:00:00Z', endsAt, people: ids.map((userId) => ({ userId })) }) as unknown as ShiftRecord;

test.each([
  ['a shift of another person', shift('2026-11-30T12:00:01Z', 'adam'), true],
  ['a gap', shift('2026-12-01T00:00:00Z'), true],
  ['the own shift', shift('2026-12-01T00:00:00Z', 'mia'), false],
  ['a shared shift', shift('2026-12-01T00:00:00Z', 'adam', 'mia'), false],
  ['a shift that ends now', shift('2026-11-30T12:00:00Z', 'adam'), false],
])('Mia covers %s: %s', (_, each, expected) => {
  expect(canCover(each, 'mia', NOW)).toBe(expected);
});
