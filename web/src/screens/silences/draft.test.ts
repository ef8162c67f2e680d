import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SilenceRecord } from '@/api';
import { changes } from '@/parts/conflict/compare';
import { beginOf, bodyOf, formOf, missing } from '@/screens/silences/draft';

const STORED = {
  match: { all: [{ field: 'title', op: 'eq', value: 'Never sent' }] },
  matchText: 'title = "Never sent"',
  sourceIds: [],
  comment: 'Upgrade',
  startsAt: '2026-11-24T10:00:42Z',
  endsAt: '2026-11-24T11:00:42Z',
  recurrence: null,
} as unknown as SilenceRecord;

describe('the form of a silence', () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-24T09:30:00Z') }));
  afterEach(() => void vi.useRealTimers());

  it('sends only changed fields: times of a record have seconds, and fields have none', () => {
    const form = formOf(STORED);
    expect(changes({ ...bodyOf(form) }, { ...bodyOf({ ...form, comment: 'Upgrade, OPS-7' }) })).toEqual({
      comment: 'Upgrade, OPS-7',
    });
  });

  it.each(['', 'never'])('has no end when the end is "%s"', (endsAt) => {
    expect(missing({ ...formOf(STORED), endsAt })).toBe('Choose an end.');
  });

  it('begins at its start, and without one now', () => {
    const form = { ...formOf(STORED), startsAt: '' };
    expect(beginOf(formOf(STORED)).toISOString()).toBe('2026-11-24T10:00:00.000Z');
    expect(beginOf(form).toISOString()).toBe('2026-11-24T09:30:00.000Z');
    vi.advanceTimersByTime(60_000);

    expect(beginOf(form).toISOString()).toBe('2026-11-24T09:31:00.000Z');
    expect(missing({ ...form, startsAt: 'never' })).toBe('Choose another start.');
  });
});
