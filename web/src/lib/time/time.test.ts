import { afterEach, describe, expect, it, vi } from 'vitest';
import { duration, relative } from '@/lib/time/time';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

describe('times in lists', () => {
  it.each([
    [0, 'just now'],
    [-44, 'just now'],
    [-60, '1 min ago'],
    [-3 * 60, '3 min ago'],
    [-60 * 60, '1 h ago'],
    [-25 * 3600, '1 d ago'],
    [20, 'in a moment'],
    [2 * 3600, 'in 2 h'],
    [9 * 86_400, 'in 9 d'],
  ])('%i seconds from now is "%s"', (seconds, text) => {
    expect(relative(at(seconds), NOW)).toBe(text);
  });

  it.each([
    [59, '59 s'],
    [60, '1 min'],
    [3599, '1 h'],
    [3600 + 300, '1 h 5 min'],
    [47 * 3600, '47 h'],
    [49 * 3600, '2 d 1 h'],
    [72 * 3600, '3 d'],
  ])('%i seconds are "%s"', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});

describe('the one clock', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['h12', 9.5, '9:30 PM'],
    ['h12', 21.5, 'Mon 9:30 AM'],
    ['h23', 21.5, 'Mon 09:30'],
    ['h23', 12.5, 'Mon 00:30'],
    ['h12', 24 * 8, 'Mar 9, 12:00 PM'],
  ])('of %s reads %s hours ahead as "%s", in English and without a leading zero', async (hourCycle, hours, text) => {
    vi.stubGlobal('navigator', { languages: ['de-DE', 'en-US'] });
    vi.stubGlobal('localStorage', { getItem: () => JSON.stringify({ hourCycle, times: 'utc' }) });
    vi.resetModules();
    const { clock } = await import('@/lib/time/time');
    expect(clock(at(hours * 3600), NOW)).toBe(text);
  });
});
