import { describe, expect, test, vi } from 'vitest';
import { showTimesOf } from '@/lib/time/time';
import { barsOf, midnights } from '@/screens/silences/weekBars';

vi.mock('@/lib/preferences/preferences', () => ({ preferences: () => ({ times: 'workspace', hourCycle: 'auto' }) }));

const NOW = Date.parse('2026-11-24T12:00:00Z');
const at = (days: number) => new Date(NOW + days * 86_400_000).toISOString();
const period = (from: number, to: number) => ({ startsAt: at(from), endsAt: at(to) });

describe('bars of periods', () => {
  test('a period is at its place', () => {
    expect(barsOf([period(3.5, 7)], NOW)).toEqual([{ left: 50, width: 50 }]);
  });

  test('a period that has begun is shown from now on', () => {
    expect(barsOf([period(-2, 3.5)], NOW)).toEqual([{ left: 0, width: 50 }]);
  });

  test('a period that lasts longer ends with the week', () => {
    expect(barsOf([period(3.5, 30)], NOW)).toEqual([{ left: 50, width: 50 }]);
  });

  test.each([[period(-2, -1)], [period(7, 8)], [period(-1, 0)]])(
    'a period outside of the week has no bar',
    (outside) => {
      expect(barsOf([outside], NOW)).toEqual([]);
    },
  );
});

test('a week has seven midnights, a day apart', () => {
  const found = midnights(NOW);
  expect(found).toHaveLength(7);
  expect(found[0]!.left).toBeGreaterThan(0);
  for (const [index, each] of found.slice(1).entries()) expect(each.left - found[index]!.left).toBeCloseTo(100 / 7, 0);
});

test.each([
  ['UTC', 12],
  ['Asia/Tokyo', 3],
  ['America/New_York', 17],
])('the first midnight on the clock of %s is %i hours away and has the name of its day', (zone, hours) => {
  showTimesOf(zone);
  const [first] = midnights(NOW);
  showTimesOf(undefined);
  const wednesday = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' }).format(
    new Date('2026-11-25T12:00Z'),
  );
  expect([first!.left * 1.68, first!.name]).toEqual([expect.closeTo(hours), wednesday]);
});
