import type { NoticeRecord, TimelineRecord } from '@/api';

/** An entry, with the notice that it caused; or a notice without a shown entry. */
export type StoryItem =
  { at: string; entry: TimelineRecord; notice?: NoticeRecord } | { at: string; notice: NoticeRecord };
export type Shown = 'changes' | 'notes' | 'notices';

export const SHOWN: readonly { name: Shown; label: string }[] = [
  { name: 'changes', label: 'Changes' },
  { name: 'notes', label: 'Notes' },
  { name: 'notices', label: 'Notifications' },
];

type Kind = TimelineRecord['kind'];
/** The entries that cause a notice, by its reason. */
const CAUSES: Partial<Record<NoticeRecord['reason'], readonly Kind[]>> = {
  opened: ['opened', 'delay_ended'],
  reopened: ['reopened', 'undone'],
  reoccurred: ['reoccurred', 'joined'],
  escalated: ['escalated'],
  acknowledged: ['acknowledged'],
  snoozed: ['snoozed'],
  updated: ['updated', 'note'],
  resolved: ['resolved', 'undone'],
  renotify: ['renotified', 'notified_now', 'unacknowledged', 'ack_timed_out', 'undone'],
  silence_expired: ['silence_ended'],
  snooze_expired: ['snooze_expired', 'unsnoozed'],
  flapping: ['flapping_ended'],
  fallback: ['fallback'],
};
/** An entry and its notice are written together. */
const TOGETHER = 2_000;

type Part<Row> = { items: readonly Row[]; hasMore: boolean };

/** The kinds that the address selects; all kinds without a selection. */
export function shownOf(text: string | null): Shown[] {
  const names = SHOWN.map((each) => each.name);
  const found = names.filter((name) => text?.split(',').includes(name));
  return found.length > 0 ? found : names;
}

/** The text for the address; empty for everything. */
export function shownText(shown: readonly string[]): string {
  return shown.length === 0 || shown.length === SHOWN.length ? '' : shown.join(',');
}

/** The kinds of entries to read: all, notes alone, or all but notes. */
export function kindsOf(shown: readonly Shown[], all: readonly Kind[]): Kind[] | undefined {
  const [changes, notes] = [shown.includes('changes'), shown.includes('notes')];
  if (changes === notes) return undefined;
  return notes ? ['note'] : all.filter((kind) => kind !== 'note');
}

/**
 * Entries and notices as one list, newest first: one row for an act and its notice. Each part comes in pages of its own: what is
 * older than the last row of a part with more pages waits for the next page. `next` names that part.
 */
export function story(
  entries: Part<TimelineRecord>,
  notices: Part<NoticeRecord>,
): { items: StoryItem[]; next: 'entries' | 'notices' | null } {
  const ends = [
    { name: 'entries' as const, at: entries.hasMore ? (entries.items.at(-1)?.at ?? null) : null },
    { name: 'notices' as const, at: notices.hasMore ? (notices.items.at(-1)?.at ?? null) : null },
  ].filter((each) => each.at !== null);
  const end = ends.sort((a, b) => Date.parse(b.at!) - Date.parse(a.at!))[0];
  const items = together(entries.items, notices.items);
  const covered = end ? items.filter((each) => Date.parse(each.at) >= Date.parse(end.at!)) : items;
  return { items: covered.sort((a, b) => Date.parse(b.at) - Date.parse(a.at)), next: end?.name ?? null };
}

/** The entries with their notices, and the notices whose entry is not shown. */
function together(entries: readonly TimelineRecord[], notices: readonly NoticeRecord[]): StoryItem[] {
  const ofEntry = new Map<TimelineRecord, NoticeRecord>();
  const alone: StoryItem[] = [];
  for (const notice of notices) {
    const entry = causeOf(
      notice,
      entries.filter((each) => !ofEntry.has(each)),
    );
    if (entry) ofEntry.set(entry, notice);
    else alone.push({ at: notice.at, notice });
  }
  return [...alone, ...entries.map((entry) => ({ at: entry.at, entry, notice: ofEntry.get(entry) }))];
}

function causeOf({ at, reason }: NoticeRecord, entries: readonly TimelineRecord[]): TimelineRecord | undefined {
  const distance = (entry: TimelineRecord) => Math.abs(Date.parse(entry.at) - Date.parse(at));
  return entries
    .filter((each) => CAUSES[reason]?.includes(each.kind) && distance(each) <= TOGETHER)
    .sort((a, b) => distance(a) - distance(b))[0];
}
