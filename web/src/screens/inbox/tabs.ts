import type { IncidentCounts } from '@/api';
import type { State } from '@/lib/words/words';

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
