import { useState } from 'react';
import type { BulkRequest, IncidentRecord } from '@/api';
import type { Act } from '@/lib/incidents/act';
import { perform, performMatching } from '@/live/acts';

export type Bulk = ReturnType<typeof useBulk>;
type Of = {
  selected: ReadonlySet<string>;
  incidents: IncidentRecord[];
  /** All incidents of the tab under the search, and how many they are. */
  matching: { filter: NonNullable<BulkRequest['filter']>; count: number | null };
  /** The tab and the search. */
  view: string;
  clear: () => void;
};

/**
 * Acts on the selected incidents, or on all that match once the person chose them all. That choice ends with an act, another
 * selection or another search. What failed stays selected.
 */
export function useBulk({ selected, incidents, matching, view, clear }: Of) {
  const [isActing, setActing] = useState(false);
  const [chosen, setChosen] = useState<{ count: number; selected: ReadonlySet<string>; view: string } | null>(null);
  const all = chosen !== null && chosen.selected === selected && chosen.view === view ? chosen.count : null;
  const run = async (act: Act): Promise<boolean> => {
    if (isActing) return false;
    setActing(true);
    const isDone = await (all === null ? perform(incidents, act) : performMatching(matching.filter, all, act));
    setActing(false);
    setChosen(null);
    if (isDone) clear();
    return isDone;
  };
  const chooseAll = (count: number) => setChosen({ count, selected, view });
  return { incidents, count: matching.count, all, isActing, run, chooseAll, clear };
}
