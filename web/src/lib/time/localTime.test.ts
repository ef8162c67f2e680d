import { describe, expect, it } from 'vitest';
import { localOf, momentOf } from '@/lib/time/localTime';

describe('fields for date and time', () => {
  it.each([
    ['2026-11-26T10:00:00.000Z', 'Asia/Tokyo', '2026-11-26T19:00'],
    ['2026-11-26T23:30:00.000Z', 'Europe/Berlin', '2026-11-27T00:30'],
    ['2026-07-01T04:15:00.000Z', 'America/New_York', '2026-07-01T00:15'],
    ['2026-03-29T01:30:00.000Z', 'Europe/Berlin', '2026-03-29T03:30'],
    ['2026-01-01T00:00:00.000Z', 'UTC', '2026-01-01T00:00'],
  ])('%s is on the clock of %s %s', (moment, zone, field) => {
    expect(localOf(new Date(moment), zone)).toBe(field);
    expect(momentOf(field, zone).toISOString()).toBe(moment);
  });

  it('moves a time that a change of clocks skips', () => {
    expect(momentOf('2026-03-29T02:30', 'Europe/Berlin').toISOString()).toMatch(/^2026-03-29T0[01]:30:00/);
  });
});
