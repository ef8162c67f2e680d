import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ScheduleRecord } from '@/api';
import { showTimesOf } from '@/lib/time/time';
import { bodyOf, formOf, missing, moved, newForm, rotationText } from '@/screens/on-call/draft';

vi.mock('@/lib/preferences/preferences', () => ({ preferences: () => ({ times: 'workspace', hourCycle: 'h23' }) }));

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-29T23:30:00Z') });
  showTimesOf('UTC');
});
afterEach(() => {
  vi.useRealTimers();
  showTimesOf(undefined);
});

describe('a new schedule', () => {
  test.each([
    ['2026-11-29T23:30:00Z', 'UTC', '2026-11-23T09:00'],
    ['2026-11-30T08:59:00Z', 'UTC', '2026-11-23T09:00'],
    ['2026-11-30T09:00:00Z', 'UTC', '2026-11-30T09:00'],
    ['2026-11-30T08:00:00Z', 'Europe/Berlin', '2026-11-30T09:00'],
    ['2026-12-06T22:00:00Z', 'UTC', '2026-11-30T09:00'],
  ])('at %s in %s begins at the last Monday at nine, %s', (now, zone, start) => {
    vi.setSystemTime(now);
    expect(newForm(zone).layers[0]!.start).toBe(start);
  });

  test('lacks a name, then people, then nothing', () => {
    const form = newForm('UTC');
    expect(missing(form)).toBe('Enter a name.');
    const named = { ...form, name: 'Backend' };
    expect(missing(named)).toBe('Add people to Rotation.');
    const [layer] = named.layers;
    expect(missing({ ...named, layers: [{ ...layer!, members: [['usr_1']] }] })).toBe('');
    expect(missing({ ...named, layers: [{ ...layer!, members: [['usr_1']], every: '' }] })).toBe(
      'Complete the rotation of Rotation.',
    );
  });
});

test('a stored schedule is sent as it was read', () => {
  const layer = {
    id: 'lay_1',
    name: 'Nights',
    level: 2,
    timezone: 'Asia/Tokyo',
    start: '2026-03-02T09:00',
    unit: 'day',
    every: 2,
    members: [['usr_1', 'usr_2'], []],
    windows: [{ days: ['mon'], start: '22:00', end: '07:00' }],
    from: '2026-03-01T00:00:00.000Z',
    until: null,
    counts: 'covered',
  };
  const slack = { destinationId: 'dst_1', userGroupId: 'S01', setsTopic: false };
  const fields = { name: 'Backend', description: '', timezone: 'UTC', layers: [layer], slack };
  const stored = { ...fields, slack: { ...slack, failure: null, failingSince: null }, calendar: null };
  expect(bodyOf(formOf(stored as unknown as ScheduleRecord))).toEqual(fields);
});

describe('a schedule that follows a calendar', () => {
  const stored = { name: 'Backend', description: '', timezone: 'UTC', layers: [], calendar: { hint: 'example.com' } };
  const form = formOf(stored as unknown as ScheduleRecord);

  test('keeps its address, which is never read', () => {
    expect(bodyOf(form)).toEqual({ name: 'Backend', description: '', timezone: 'UTC', layers: [] });
    expect(missing(form)).toBe('');
  });

  test.each([
    ['', 'Enter the address of the calendar.'],
    ['https://', 'Enter the whole address of the calendar.'],
    ['https://example.com', 'Enter the whole address of the calendar.'],
    ['webcal://example.com/a.ics', ''],
  ])('with the address "%s" lacks "%s"', (calendarUrl, lack) => {
    expect(missing({ ...newForm('UTC'), name: 'Backend', follows: true, calendarUrl })).toBe(lack);
  });

  test('sends a new address without an unfinished layer', () => {
    const made = { ...newForm('UTC'), follows: true, calendarUrl: 'https://example.com/a.ics' };
    expect(bodyOf(made)).toMatchObject({ layers: [], calendarUrl: 'https://example.com/a.ics' });
  });

  test('ends the calendar when it has layers again', () => {
    expect(bodyOf({ ...form, follows: false })).toMatchObject({ calendarUrl: null });
  });
});

test.each([
  ['week', 1, 'every week on Monday at 09:00'],
  ['week', 2, 'every 2 weeks on Monday at 09:00'],
  ['day', 1, 'every day at 09:00'],
  ['hour', 12, 'every 12 hours, counted from 09:00'],
  ['month', 1, 'every month on day 30 at 09:00'],
] as const)('turns of %s × %i are "%s"', (unit, every, text) => {
  expect(rotationText({ unit, every, start: '2026-11-30T09:00' })).toBe(text);
});

test.each([
  [0, 1, ['b', 'a', 'c']],
  [2, 0, ['c', 'a', 'b']],
  [1, 1, ['a', 'b', 'c']],
])('the element %i moves to place %i', (from, to, expected) => {
  expect(moved(['a', 'b', 'c'], from, to)).toEqual(expected);
});
