import type { NoticeRecord, TimelineRecord } from '@/api';

export type StoryItem = { at: string; entry: TimelineRecord } | { at: string; notice: NoticeRecord };
export type Shown = 'changes' | 'notes' | 'notices';

export const SHOWN: readonly { name: Shown; label: string }[] = [
  { name: 'changes', label: 'Changes' },
  { name: 'notes', label: 'Notes' },
  { name: 'notices', label: 'Notices' },
];

type Kind = TimelineRecord['kind'];
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
 * Entries and notices as one list, newest first. Each comes in pages of its own: what is older than the last row of a part
 * with more pages waits for the next page. `next` names that part. Of one moment the notice is the newer one.
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
  const items: StoryItem[] = [
    ...notices.items.map((notice) => ({ at: notice.at, notice })),
    ...entries.items.map((entry) => ({ at: entry.at, entry })),
  ];
  const covered = end ? items.filter((each) => Date.parse(each.at) >= Date.parse(end.at!)) : items;
  return { items: covered.sort((a, b) => Date.parse(b.at) - Date.parse(a.at)), next: end?.name ?? null };
}
