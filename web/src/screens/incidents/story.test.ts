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
  const told = ({ items }: ReturnType<typeof story>) =>
    items.map((each) => ('entry' in each ? `${each.entry.kind}:${each.notice?.id ?? ''}` : each.notice.id));
  const entry = (kind: string, minute: number) => ({ id: kind, kind, at: at(minute) }) as TimelineRecord;
  const notice = (reason: string, minute: number) => ({ id: `ntc_${reason}`, reason, at: at(minute) }) as NoticeRecord;
  const all = <Row>(...items: Row[]) => ({ items, hasMore: false });

  it('has one row for an act and its notice', () => {
    const found = story(
      all(entry('acknowledged', 9), entry('note', 5), entry('opened', 1)),
      all(notice('acknowledged', 9), notice('opened', 1)),
    );
    expect(told(found)).toEqual(['acknowledged:ntc_acknowledged', 'note:', 'opened:ntc_opened']);
  });

  it('keeps a notice apart whose entry is of another kind or moment, or not shown', () => {
    const found = story(all(entry('note', 9), entry('opened', 1)), all(notice('acknowledged', 9), notice('opened', 3)));
    expect(told(found).sort()).toEqual(['note:', 'ntc_acknowledged', 'ntc_opened', 'opened:']);
    expect(told(story(all(), all(notice('opened', 1))))).toEqual(['ntc_opened']);
  });

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
