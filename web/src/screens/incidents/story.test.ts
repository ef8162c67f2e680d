import { describe, expect, it } from 'vitest';
import type { NoticeRecord, TimelineRecord } from '@/api';
import { kindsOf, shownOf, shownText, story } from '@/screens/incidents/story';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 26, 2, minute)).toISOString();
const entries = (...minutes: number[]) =>
  minutes.map((each) => ({ id: `tml_${each}`, at: at(each) }) as TimelineRecord);
const notices = (...minutes: number[]) => minutes.map((each) => ({ id: `ntc_${each}`, at: at(each) }) as NoticeRecord);
const ids = (items: ReturnType<typeof story>['items']) =>
  items.map((each) => ('entry' in each ? each.entry.id : each.notice.id));

describe('the story of an incident', () => {
  it('merges entries and notices, newest first, and the notice above the entry of its moment', () => {
    const { items, next } = story(
      { items: entries(9, 5, 1), hasMore: false },
      { items: notices(7, 5), hasMore: false },
    );
    expect(ids(items)).toEqual(['tml_9', 'ntc_7', 'ntc_5', 'tml_5', 'tml_1']);
    expect(next).toBeNull();
  });

  it('ends where the next page of a part may have something in between', () => {
    const { items, next } = story({ items: entries(9, 5), hasMore: true }, { items: notices(8, 2), hasMore: true });
    expect(ids(items)).toEqual(['tml_9', 'ntc_8', 'tml_5']);
    expect(next).toBe('entries');
    const further = story({ items: entries(9, 5, 1), hasMore: true }, { items: notices(8, 2), hasMore: true });
    expect(ids(further.items)).toEqual(['tml_9', 'ntc_8', 'tml_5', 'ntc_2']);
    expect(further.next).toBe('notices');
  });

  it('reads only the kinds that are shown', () => {
    const all = ['opened', 'note', 'resolved'] as const;
    expect(kindsOf(['changes', 'notes', 'notices'], all)).toBeUndefined();
    expect(kindsOf(['notes'], all)).toEqual(['note']);
    expect(kindsOf(['changes', 'notices'], all)).toEqual(['opened', 'resolved']);
  });

  it('keeps the choice in the address', () => {
    expect(shownOf(null)).toEqual(['changes', 'notes', 'notices']);
    expect(shownOf('notes,colours')).toEqual(['notes']);
    expect(shownText(['notes', 'notices'])).toBe('notes,notices');
    expect(shownText(['changes', 'notes', 'notices'])).toBe('');
    expect(shownText([])).toBe('');
  });
});
