import type { IncidentsListData } from '@/api';

export type SortName = NonNullable<NonNullable<IncidentsListData['query']>['sort']>;
export type Order = 'asc' | 'desc';
export type Sort = { name: SortName; order: Order };

/** A sort of the inbox. `desc` and `asc` say what comes first; `tab` is the only tab that has it. */
export type SortChoice = { name: SortName; label: string; desc: string; asc: string; tab?: string };

const TIMES = { desc: 'Newest first', asc: 'Oldest first' };
const WORDS = { desc: 'Z to A', asc: 'A to Z' };

export const SORTS: readonly SortChoice[] = [
  { name: 'lastSeen', label: 'Last event', ...TIMES },
  { name: 'firstSeen', label: 'First event', ...TIMES },
  { name: 'opened', label: 'Opened', ...TIMES },
  { name: 'resolved', label: 'Resolved', ...TIMES, tab: 'resolved' },
  { name: 'events', label: 'Number of events', desc: 'Most first', asc: 'Fewest first' },
  { name: 'severity', label: 'Severity', desc: 'Highest first', asc: 'Lowest first' },
  { name: 'state', label: 'State', desc: 'Open first', asc: 'Resolved first', tab: 'all' },
  { name: 'source', label: 'Source', ...WORDS },
  { name: 'title', label: 'Title', ...WORDS },
  { name: 'number', label: 'Number', ...TIMES },
];

/** The order of the API without a sort. */
const OF_API: Sort = { name: 'lastSeen', order: 'desc' };
const WORST_FIRST: Sort = { name: 'severity', order: 'desc' };
const BY_TIME = ['resolved', 'all'];

/** The order of a tab without a sort: the most severe first, then by the last event. What has ended is in the order of time. */
function firstOf(tab: string): Sort {
  return BY_TIME.includes(tab) ? OF_API : WORST_FIRST;
}

function areEqual(one: Sort, other: Sort): boolean {
  return one.name === other.name && one.order === other.order;
}

/** The choices of a tab. */
export function sortsOf(tab: string): SortChoice[] {
  return SORTS.filter((each) => each.tab === undefined || each.tab === tab);
}

/** The sort that an address asks for: `-events` is descending. The first sort where the tab does not have it. */
export function sortOf(text: string | null, tab: string): Sort {
  const name = text?.replace(/^-/, '');
  const found = sortsOf(tab).find((each) => each.name === name);
  return found ? { name: found.name, order: text!.startsWith('-') ? 'desc' : 'asc' } : firstOf(tab);
}

/** The sort as the address has it; empty for the first one of the tab. */
export function sortText(sort: Sort, tab: string): string {
  if (areEqual(sort, firstOf(tab))) return '';
  return sort.order === 'desc' ? `-${sort.name}` : sort.name;
}

/** The parameters of the list; none for the order of the API, so that a view without a sort is the same. */
export function sortQuery(sort: Sort): { sort?: SortName; order?: Order } {
  return areEqual(sort, OF_API) ? {} : { sort: sort.name, order: sort.order };
}

/** The order in which a column is more often wanted: texts from A, all else from the top. */
export function usualOrder(name: SortName): Order {
  return name === 'source' || name === 'title' ? 'asc' : 'desc';
}
