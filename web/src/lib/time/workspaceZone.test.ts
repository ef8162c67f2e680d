import { beforeEach, describe, expect, it, vi } from 'vitest';

const AT = '2026-11-26T10:00:00Z';

describe('times on the clock of the workspace', () => {
  beforeEach(() => {
    vi.stubGlobal('localStorage', { getItem: () => JSON.stringify({ times: 'workspace', hourCycle: 'h23' }) });
    vi.resetModules();
  });

  it.each([
    ['Asia/Tokyo', '19:00'],
    ['America/New_York', '05:00'],
  ])('are those of %s', async (zone, text) => {
    const { clock, showTimesOf } = await import('@/lib/time/time');
    showTimesOf(zone);
    expect(clock(AT, Date.parse(AT))).toBe(text);
  });

  it('are local outside of a workspace, and in a zone that the browser does not know', async () => {
    const { clock, showTimesOf } = await import('@/lib/time/time');
    const local = clock(AT, Date.parse(AT));
    showTimesOf('Asia/Tokyo');
    expect(clock(AT, Date.parse(AT))).toBe('19:00');
    for (const zone of [undefined, 'Mars/Olympus']) {
      showTimesOf(zone);
      expect(clock(AT, Date.parse(AT))).toBe(local);
    }
  });
});
