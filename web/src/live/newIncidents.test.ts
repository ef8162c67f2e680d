import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IncidentRecord } from '@/api';
import { type Announcement, MOST_READ, NewIncidents, PAUSE } from '@/live/newIncidents';

const created = (id: string) => ({ type: 'incident', op: 'created' as const, id: `inc_${id}` });

/** What is announced, where each incident is open and an error unless the test says otherwise. */
function announced(records: Record<string, Partial<IncidentRecord>> = {}, { isQuiet = false, isWanted = true } = {}) {
  const announcements: Announcement[] = [];
  const read = vi.fn((id: string) =>
    id === 'inc_gone'
      ? Promise.reject(new Error('404'))
      : Promise.resolve({
          id,
          workspaceId: 'wsp_1',
          state: 'open',
          severity: 'ERROR',
          ...records[id],
        } as IncidentRecord),
  );
  const incidents = new NewIncidents({
    isWanted: () => isWanted,
    read,
    isQuiet: () => isQuiet,
    announce: (one) => announcements.push(one),
  });
  const ids = () => announcements.map((each) => each.incidents.map(({ id }) => id));
  return { incidents, read, announcements, ids };
}

describe('new incidents', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('are announced at once, and later ones within seconds together', async () => {
    const { incidents, ids } = announced();
    incidents.take(created('1'));
    incidents.take(created('2'));
    incidents.take(created('3'));
    await vi.advanceTimersByTimeAsync(PAUSE - 1);
    expect(ids()).toEqual([['inc_1']]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ids()).toEqual([['inc_1'], ['inc_2', 'inc_3']]);
    await vi.advanceTimersByTimeAsync(PAUSE);
    incidents.take(created('4'));
    await vi.advanceTimersByTimeAsync(0);
    expect(ids()).toEqual([['inc_1'], ['inc_2', 'inc_3'], ['inc_4']]);
  });

  it('are announced only when they are open', async () => {
    const { incidents, announcements, read } = announced({
      inc_1: { state: 'silenced' },
      inc_2: { state: 'snoozed' },
      inc_3: { state: 'resolved' },
    });
    for (const id of ['1', '2', '3', 'gone']) {
      incidents.take(created(id));
      await vi.advanceTimersByTimeAsync(PAUSE);
    }
    incidents.take({ type: 'incident', op: 'changed', id: 'inc_5' });
    incidents.take({ type: 'event', op: 'created', id: 'evt_1' });
    incidents.take({ type: 'resync' });
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(announcements).toEqual([]);
    expect(read).toHaveBeenCalledTimes(4);
  });

  it('are announced in quiet hours when they are critical', async () => {
    const { incidents, ids } = announced({ inc_2: { severity: 'CRITICAL' } }, { isQuiet: true });
    incidents.take(created('1'));
    await vi.advanceTimersByTimeAsync(PAUSE);
    incidents.take(created('2'));
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(ids()).toEqual([['inc_2']]);
  });

  it('are not read when notifications are off', async () => {
    const { incidents, read } = announced({}, { isWanted: false });
    incidents.take(created('1'));
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(read).not.toHaveBeenCalled();
  });

  it.each([
    [MOST_READ - 1, MOST_READ - 1],
    [MOST_READ, MOST_READ],
    [MOST_READ + 1, MOST_READ],
  ])('are counted: of %i at once %i are read', async (count, reads) => {
    const { incidents, announcements, read } = announced();
    incidents.take(created('first'));
    for (let number = 0; number < count; number += 1) incidents.take(created(String(number)));
    await vi.advanceTimersByTimeAsync(PAUSE);
    expect(announcements.map((each) => each.count)).toEqual([1, count]);
    expect(read).toHaveBeenCalledTimes(1 + reads);
  });

  it('are dropped when the watch ends', async () => {
    const { incidents, ids } = announced();
    incidents.take(created('1'));
    incidents.take(created('2'));
    await vi.advanceTimersByTimeAsync(0);
    incidents.stop();
    await vi.advanceTimersByTimeAsync(2 * PAUSE);
    expect(ids()).toEqual([['inc_1']]);
  });
});
