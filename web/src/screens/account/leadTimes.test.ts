import { expect, test, vi } from 'vitest';
import { leadChoices, leadText, ordered } from '@/screens/account/leadTimes';

vi.mock('@/lib/preferences/preferences', () => ({ preferences: () => ({ times: 'utc', hourCycle: 'h23' }) }));

test.each([
  [0, 'At the start'],
  [15, '15 min before'],
  [90, '1 h 30 min before'],
  [1440, '1 day before'],
  [2880, '2 days before'],
])('%i minutes: %s', (minutes, text) => {
  expect(leadText(minutes)).toBe(text);
});

test('a lead time that was set elsewhere can be kept, and no choice is there twice', () => {
  const values = leadChoices([45, 60]).map((each) => each.value);
  expect(values).toContain('45');
  expect(new Set(values).size).toBe(values.length);
  expect(ordered([0, 1440, 45])).toEqual([1440, 45, 0]);
});
