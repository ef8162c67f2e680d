import { describe, expect, it } from 'vitest';
import { ending } from '@/screens/incidents/ending';

const opened = { openedAt: '2026-11-26T01:00:00Z', resolvedAt: '2026-11-26T03:05:00Z' };

describe('the end of a similar incident', () => {
  it.each([
    [{ type: 'user', id: 'usr_1', name: 'Mia' }, 'Resolved by Mia after 2 h 5 min'],
    [{ type: 'event', id: 'evt_1', name: 'Backups' }, 'Auto-resolved in 2 h 5 min'],
    [{ type: 'timer', id: '', name: 'Clock' }, 'Auto-resolved in 2 h 5 min'],
    [null, 'Resolved after 2 h 5 min'],
  ] as const)('names its author and the duration: %j', (resolvedBy, text) => {
    expect(ending({ ...opened, resolvedBy })).toBe(text);
  });

  it('has no text for one that continues', () => {
    expect(ending({ ...opened, resolvedAt: null, resolvedBy: null })).toBeNull();
  });
});
