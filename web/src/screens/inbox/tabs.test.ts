import { describe, expect, it } from 'vitest';
import type { IncidentCounts } from '@/api';
import { tabFor, tabOf } from '@/screens/inbox/tabs';

const COUNTS = { byState: { open: 3, acknowledged: 2, snoozed: 1, silenced: 0 }, resolved: 7 } as IncidentCounts;

describe('tabs of the inbox', () => {
  it('has a tab of its own for several states, with their sum', () => {
    const tab = tabOf('acknowledged,open');
    expect(tab.label).toBe('Open + acknowledged');
    expect(tab.states).toEqual(['open', 'acknowledged']);
    expect(tab.count(COUNTS)).toBe(5);
    expect(tabOf(tab.name).states).toEqual(tab.states);
    expect(tabOf('open,resolved').count(COUNTS)).toBe(10);
  });

  it.each([null, '', 'nothing', 'open,nothing', 'all,open', 'open,open'])('is the first tab for %j', (name) => {
    expect(tabOf(name).name).toBe('open');
  });

  it('finds the tab for the states of a view, in any order', () => {
    expect(tabFor(['snoozed', 'open'])?.name).toBe('open,snoozed');
    expect(tabFor(['resolved'])?.name).toBe('resolved');
    expect(tabFor([])?.name).toBe('all');
    expect(tabFor(['open', 'unknown'])).toBeUndefined();
  });
});
