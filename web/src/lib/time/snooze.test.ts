import { describe, expect, it, vi } from 'vitest';
import { SNOOZES, snoozeKeys, usualSnooze } from '@/lib/time/snooze';
import * as time from '@/lib/time/time';

const NOW = new Date('2026-11-26T10:00:00Z');

describe('snoozing', () => {
  it.each([
    [15, 'My default, 15 min', '2026-11-26T10:15:00.000Z'],
    [90, 'My default, 1 h 30 min', '2026-11-26T11:30:00.000Z'],
    [1440, 'My default, 24 h', '2026-11-27T10:00:00.000Z'],
  ])('has the usual time of %i minutes', (minutes, label, until) => {
    const usual = usualSnooze(minutes);
    expect(usual.label).toBe(label);
    expect(usual.until(NOW).toISOString()).toBe(until);
  });

  it.each([
    ['UTC', '2026-11-27T09:00:00.000Z', '2026-11-30T09:00:00.000Z'],
    ['Europe/Berlin', '2026-11-27T08:00:00.000Z', '2026-11-30T08:00:00.000Z'],
    ['America/New_York', '2026-11-26T14:00:00.000Z', '2026-11-30T14:00:00.000Z'],
  ])('ends at nine on the clock that the person reads, here of %s', (zone, nine, monday) => {
    vi.spyOn(time, 'shownZone').mockReturnValue(zone);
    const [untilNine, untilMonday] = SNOOZES.slice(-2);
    expect(untilNine?.until(NOW).toISOString()).toBe(nine);
    expect(untilMonday?.until(NOW).toISOString()).toBe(monday);
  });

  it('has a key for each choice, and the usual one first', () => {
    const keys = snoozeKeys(() => undefined).map((each) => each.keys);
    expect(keys).toEqual(['s s', ...SNOOZES.map((each) => each.keys)]);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
