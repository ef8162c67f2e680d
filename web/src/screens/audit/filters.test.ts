import { afterEach, describe, expect, it, vi } from 'vitest';
import { showTimesOf } from '@/lib/time/time';
import { filtersOf } from '@/screens/audit/filters';

vi.mock('@/lib/preferences/preferences', () => ({ preferences: () => ({ times: 'workspace', hourCycle: 'auto' }) }));

describe('the days of the audit log', () => {
  afterEach(() => showTimesOf(undefined));

  it.each([
    ['UTC', '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['Asia/Tokyo', '2026-11-19T15:00:00.000Z', '2026-11-20T15:00:00.000Z'],
    ['America/New_York', '2026-11-20T05:00:00.000Z', '2026-11-21T05:00:00.000Z'],
  ])('begin and end on the clock of %s', (zone, since, until) => {
    showTimesOf(zone);
    expect(filtersOf(new URLSearchParams('since=2026-11-20&until=2026-11-20'))).toEqual({ since, until });
  });

  it('have 25 hours where clocks go back', () => {
    showTimesOf('Europe/Berlin');
    expect(filtersOf(new URLSearchParams('since=2026-10-25&until=2026-10-25'))).toEqual({
      since: '2026-10-24T22:00:00.000Z',
      until: '2026-10-25T23:00:00.000Z',
    });
  });

  it.each(['', 'nonsense', '2026-13-01', '9999-12-31', '2026-11-20T10:00'])('are left out when %j is no day', (day) => {
    expect(filtersOf(new URLSearchParams({ until: day }))).toEqual({});
  });
});
