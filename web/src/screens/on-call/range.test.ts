import { afterEach, describe, expect, test, vi } from 'vitest';
import { showTimesOf } from '@/lib/time/time';
import { isDay, iso, known, later, packed, placeOf, rangeOf, ticksOf } from '@/screens/on-call/range';

vi.mock('@/lib/preferences/preferences', () => ({ preferences: () => ({ times: 'workspace', hourCycle: 'h23' }) }));

afterEach(() => showTimesOf(undefined));

describe('the range of a view', () => {
  test('begins and ends at local midnights', () => {
    showTimesOf('Europe/Berlin');
    const { from, to } = rangeOf('two-weeks', '2026-11-30');
    expect([from, to].map((each) => new Date(each).toISOString())).toEqual([
      '2026-11-29T23:00:00.000Z',
      '2026-12-13T23:00:00.000Z',
    ]);
  });

  test('has an hour less where clocks skip one', () => {
    showTimesOf('Europe/Berlin');
    const { from, to } = rangeOf('day', '2026-03-29');
    expect((to - from) / 3_600_000).toBe(23);
  });

  test.each([
    ['day', 8],
    ['week', 7],
    ['two-weeks', 14],
    ['month', 30],
  ] as const)('%s has %i ticks', (view, count) => {
    showTimesOf('UTC');
    const ticks = ticksOf(rangeOf(view, '2026-11-30'));
    expect(ticks).toHaveLength(count);
    expect(ticks[0]!.left).toBe(0);
    expect(ticks.at(-1)!.left).toBeLessThan(100);
  });
});

test('a month later crosses the end of the year', () => {
  expect(later('2026-12-20', 30)).toBe('2027-01-19');
});

test.each([
  ['2026-11-30', true],
  ['2026-13-30', false],
  ['tomorrow', false],
  ['', false],
])('"%s" in an address is a day: %s', (text, expected) => {
  expect(isDay(text)).toBe(expected);
});

const period = (from: string, to: string) => ({ startsAt: `2026-12-${from}:00Z`, endsAt: `2026-12-${to}:00Z` });

describe('the place of a period', () => {
  const range = { from: Date.parse('2026-12-01T00:00Z'), to: Date.parse('2026-12-05T00:00Z') };

  test('is its share of the range', () => {
    expect(placeOf(period('02T00:00', '03T00:00'), range)).toEqual({ left: 25, width: 25 });
  });

  test('is cut at both ends of the range', () => {
    expect(placeOf(period('01T00:00', '20T00:00'), { ...range, from: range.from + 1000 })).toEqual({
      left: 0,
      width: 100,
    });
  });

  test.each([
    ['06T00:00', '07T00:00'],
    ['05T00:00', '06T00:00'],
  ])('from %s to %s is none', (from, to) => {
    expect(placeOf(period(from, to), range)).toBeNull();
  });
});

test('periods that overlap get rows of their own, and others share one', () => {
  const [first, second, third] = [
    period('01T00:00', '03T00:00'),
    period('02T00:00', '04T00:00'),
    period('03T00:00', '05T00:00'),
  ];
  expect(packed([third, second, first])).toEqual([[first, third], [second]]);
});

test('a period whose end was not read is cut at the range', () => {
  showTimesOf('UTC');
  const range = rangeOf('week', '2026-12-07');
  const read = period('01T00:00', '20T00:00');
  const periods = [period('01T00:00', '09T00:00'), period('09T00:00', '15T00:00'), period('15T00:00', '20T00:00')];
  expect(known(periods, read, range)).toEqual([
    { startsAt: iso(range.from), endsAt: periods[0]!.endsAt },
    periods[1],
    { startsAt: periods[2]!.startsAt, endsAt: iso(range.to) },
  ]);
});

test('a tick has its weekday before the day, and in a month the day alone', () => {
  showTimesOf('UTC');
  expect(ticksOf(rangeOf('week', '2026-11-30'))[0]!.label).toBe('Mon 30');
  expect(ticksOf(rangeOf('month', '2026-11-30'))[0]!.label).toBe('30');
});
