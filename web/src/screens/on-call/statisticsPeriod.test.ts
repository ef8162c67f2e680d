import { describe, expect, test } from 'vitest';
import { daysOf, hours, MOST_DAYS, OTHER, periodFault, periodNameOf } from '@/screens/on-call/statisticsPeriod';
import { later } from '@/screens/on-call/range';

const none = { since: null, until: null };

describe('the days of a period', () => {
  test.each([
    ['this-month', '2026-03-05', '2026-03-01', '2026-03-05'],
    ['last-month', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['last-month', '2026-01-01', '2025-12-01', '2025-12-31'],
    ['14', '2026-03-05', '2026-02-20', '2026-03-05'],
    ['365', '2026-12-31', '2026-01-01', '2026-12-31'],
  ])('%s seen from %s', (name, today, since, until) => {
    expect(daysOf(name, today, none)).toEqual({ since, until });
  });

  test('other days stand in the address, and are today without a day', () => {
    const given = { since: '2026-02-03', until: 'soon' };
    expect(daysOf(OTHER, '2026-03-05', given)).toEqual({ since: '2026-02-03', until: '2026-03-05' });
  });
});

test.each([
  [MOST_DAYS - 2, ''],
  [MOST_DAYS - 1, ''],
  [MOST_DAYS, `At most ${MOST_DAYS} days.`],
  [-1, 'The last day is before the first.'],
])('a last day %i days after the first: %j', (days, fault) => {
  expect(periodFault({ since: '2026-01-01', until: later('2026-01-01', days) })).toBe(fault);
});

test('an unknown period is the usual one', () => {
  expect([periodNameOf('7'), periodNameOf(null), periodNameOf('90')]).toEqual(['30', '30', '90']);
});

test.each([
  [0, '0 h'],
  [3_600, '1 h'],
  [476_990, '132.5 h'],
])('%i seconds are %s', (seconds, text) => {
  expect(hours(seconds)).toBe(text);
});
