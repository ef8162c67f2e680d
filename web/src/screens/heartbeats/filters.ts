import type { MonitorRecord } from '@/api';
import { type Status, STATUS_NAMES } from '@/parts/heartbeats/words';

export type Filters = { words: string; status: Status | null; sourceId: string | null };

/** The filters of the address; an unknown status is left out. */
export function filtersOf(params: URLSearchParams): Filters {
  const status = params.get('status');
  return {
    words: params.get('q') ?? '',
    status: STATUS_NAMES.find((each) => each === status) ?? null,
    sourceId: params.get('source'),
  };
}

/** Returns whether name, tags or schedule of a monitor contain each of the words. */
function matches(monitor: MonitorRecord, words: string): boolean {
  const text = [monitor.name, monitor.scheduleText, ...monitor.tags].join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The monitors of the search and of the source. The status is left to `ofStatus`, so that each status can be counted. */
export function found(all: readonly MonitorRecord[], { words, sourceId }: Filters): MonitorRecord[] {
  return all.filter((each) => (sourceId === null || each.sourceId === sourceId) && matches(each, words));
}

/** The monitors of a status, or all. What needs attention comes first: down, then late; the rest by name. */
export function ofStatus(monitors: readonly MonitorRecord[], status: Status | null): MonitorRecord[] {
  const rank = (each: MonitorRecord) => ({ down: 0, late: 1 })[each.status as string] ?? 2;
  return monitors
    .filter((each) => status === null || each.status === status)
    .sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}
