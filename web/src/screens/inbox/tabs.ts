import type { IncidentCounts } from '@/api';
import { STATE_WORD, type State } from '@/lib/words/words';

export type Tab = { name: string; label: string; states: State[]; count: (counts: IncidentCounts) => number | null };

/** The tabs of the inbox; the first one is shown without a name in the address. */
export const TABS: readonly Tab[] = [
  { name: 'open', label: 'Needs attention', states: ['open'], count: (counts) => counts.byState.open },
  {
    name: 'acknowledged',
    label: 'Acknowledged',
    states: ['acknowledged'],
    count: (counts) => counts.byState.acknowledged,
  },
  { name: 'snoozed', label: 'Snoozed', states: ['snoozed'], count: (counts) => counts.byState.snoozed },
  { name: 'silenced', label: 'Silenced', states: ['silenced'], count: (counts) => counts.byState.silenced },
  { name: 'resolved', label: 'Resolved', states: ['resolved'], count: (counts) => counts.resolved },
  { name: 'all', label: 'All', states: [], count: () => null },
];

/** The tab of an address: by its name, or for several states such as `open,acknowledged` a tab of its own. */
export function tabOf(name: string | null): Tab {
  const known = TABS.find((each) => each.name === name);
  if (known) return known;
  const parts = TABS.filter((each) => each.states.length === 1 && name?.split(',').includes(each.name));
  if (parts.length < 2 || name?.split(',').length !== parts.length) return TABS[0]!;
  return {
    name: parts.map((each) => each.name).join(','),
    label: parts.map((each, place) => wordOf(each.states[0]!, place)).join(' + '),
    states: parts.flatMap((each) => each.states),
    count: (counts) => parts.reduce((sum, each) => sum + (each.count(counts) ?? 0), 0),
  };
}

/** The tab that shows these states; undefined where there is none. */
export function tabFor(states: readonly string[]): Tab | undefined {
  const names = TABS.filter((each) => each.states.length === 1 && states.includes(each.name)).map((each) => each.name);
  const found = tabOf(states.length === 0 ? 'all' : names.join(','));
  return found.states.length === states.length ? found : undefined;
}

function wordOf(state: State, place: number): string {
  return place === 0 ? STATE_WORD[state] : STATE_WORD[state].toLowerCase();
}
