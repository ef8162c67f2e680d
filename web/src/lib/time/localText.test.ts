import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const NOW = Date.parse('2026-11-26T10:00:00Z');

beforeEach(() => {
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify({ hourCycle: 'h12', times: 'utc' }) });
  vi.resetModules();
});
afterEach(() => vi.unstubAllGlobals());

it.each([
  ['Pager was notified at 2026-11-26T10:15:00Z.', 'Pager was notified at 10:15 AM.'],
  [
    'Included in the digest of 2026-11-26T18:00:00Z. Chat was notified at 2026-11-27T18:00:00Z.',
    'Included in the digest of 6:00 PM. Chat was notified at Fri 6:00 PM.',
  ],
  ['Open, not acknowledged.', 'Open, not acknowledged.'],
])('the instants of "%s" are written on the clock of the person', async (text, local) => {
  const { localText } = await import('@/lib/time/localText');
  expect(localText(text, NOW)).toBe(local);
});
