import type { EventRecord, EventRow } from '@/api';

type Dated = Pick<EventRow, 'id' | 'receivedAt' | 'dedupKey' | 'title'>;

/** The events before the shown one, newest first. */
export function earlierThan(shown: Dated, rows: readonly EventRow[]): EventRow[] {
  const at = rows.findIndex((row) => row.id === shown.id);
  return at < 0 ? rows.filter((row) => row.receivedAt < shown.receivedAt) : rows.slice(at + 1);
}

/** The next event of the same alert after this one, among those that are shown newest first; null without one. */
export function newerOf(event: EventRecord, events: readonly EventRecord[]): EventRecord | null {
  const at = events.findIndex((each) => each.id === event.id);
  return events.slice(0, at).findLast((each) => isOfOneAlert(each, event)) ?? null;
}

function isOfOneAlert(one: Dated, other: Dated): boolean {
  return one.dedupKey === null && other.dedupKey === null ? one.title === other.title : one.dedupKey === other.dedupKey;
}
