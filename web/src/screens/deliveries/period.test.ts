import { expect, it } from 'vitest';
import { sinceOf } from '@/screens/deliveries/period';

const CHOSEN = Date.parse('2026-11-27T12:20:00Z');
const HOUR = 3_600_000;

it.each([
  [1, -5_000, '2026-11-26T12:20:00.000Z'],
  [1, HOUR - 1, '2026-11-26T12:20:00.000Z'],
  [1, HOUR, '2026-11-26T13:20:00.000Z'],
  [7, 49.5 * HOUR, '2026-11-22T13:20:00.000Z'],
])('the last %i days begin, %i ms after the choice, at %s', (days, later, since) => {
  expect(sinceOf(days, CHOSEN, CHOSEN + later)).toBe(since);
});
