import { describe, expect, it, vi } from 'vitest';
import { snoozeEnd, SNOOZES, snoozeKeys, tomorrowMorning, usualSnooze } from '@/lib/time/snooze';
import * as time from '@/lib/time/time';

const NOW = new Date('2026-11-26T10:00:00Z');

describe('snoozing', () => {
  it.each([
    [15, 'Default (15 min)', '2026-11-26T10:15:00.000Z'],
    [90, 'Default (1 h 30 min)', '2026-11-26T11:30:00.000Z'],
    [1440, 'Default (24 h)', '2026-11-27T10:00:00.000Z'],
  ])('has the usual time of %i minutes', (minutes, label, until) => {
    const usual = usualSnooze(minutes);
    expect(usual.label(NOW)).toBe(label);
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

  it.each([
    ['h12', '2026-11-26T08:00:00Z', 'Until 9:00 AM', 'Until 9:00 AM Monday'],
    ['h12', '2026-11-26T10:00:00Z', 'Until 9:00 AM tomorrow', 'Until 9:00 AM Monday'],
    ['h23', '2026-11-29T10:00:00Z', 'Until 09:00 tomorrow', 'Until 09:00 tomorrow'],
  ])('names the end on the clock of %s at %s', async (hourCycle, now, nine, monday) => {
    vi.stubGlobal('localStorage', { getItem: () => JSON.stringify({ hourCycle, times: 'utc' }) });
    vi.resetModules();
    const snooze = await import('@/lib/time/snooze');
    expect(snooze.SNOOZES.slice(-2).map((each) => each.label(new Date(now)))).toEqual([nine, monday]);
    vi.unstubAllGlobals();
  });

  it.each([
    ['2026-11-26T10:00', undefined],
    ['2026-11-26T10:01', '2026-11-26T10:01:00.000Z'],
    ['2026-12-26T10:00', '2026-12-26T10:00:00.000Z'],
    ['2026-12-26T10:01', undefined],
    ['2026-11-25T10:00', undefined],
    ['', undefined],
  ])('ends within 30 days at an entered time: %s', (field, end) => {
    vi.spyOn(time, 'shownZone').mockReturnValue('UTC');
    expect(snoozeEnd(field, NOW)?.toISOString()).toBe(end);
  });

  it('offers the next morning, on the clock that the person reads', () => {
    vi.spyOn(time, 'shownZone').mockReturnValue('Europe/Berlin');
    expect(tomorrowMorning(NOW)).toBe('2026-11-27T09:00');
    expect(tomorrowMorning(new Date('2026-11-26T23:30:00Z'))).toBe('2026-11-28T09:00');
  });

  it('has a key for each choice, and the usual one first', () => {
    const keys = snoozeKeys(() => undefined).map((each) => each.keys);
    expect(keys).toEqual(['s s', ...SNOOZES.map((each) => each.keys)]);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
