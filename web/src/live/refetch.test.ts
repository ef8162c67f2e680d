import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refetcher } from '@/live/refetch';

const change = { type: 'incident', id: 'inc_1' };

/** A list that is shown, each read of which takes so long, and how often it was read. */
function shownList(milliseconds = 0, operation = 'incidentsList') {
  const client = new QueryClient();
  const read = vi.fn(() => new Promise((resolve) => setTimeout(resolve, milliseconds, [])));
  const observer = new QueryObserver(client, {
    queryKey: [{ _id: operation }],
    queryFn: read,
    staleTime: 60_000,
  });
  observer.subscribe(() => undefined);
  return { refetcher: new Refetcher(client), read };
}

describe('a refetch after a reference', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('document', { visibilityState: 'visible' });
    vi.stubGlobal('window', { scrollY: 0 });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('comes within half a second, and once for many references', async () => {
    const { refetcher, read } = shownList();
    refetcher.take(change);
    refetcher.take({ ...change, id: 'inc_2' });
    await vi.advanceTimersByTimeAsync(500);
    expect(read).toHaveBeenCalledTimes(2); // the first read, and one more
  });

  it('waits a random part of the spread that the reference names', async () => {
    const { refetcher, read } = shownList();
    refetcher.take({ ...change, spreadSeconds: 10 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(read).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('comes once in four spreads however many references arrive', async () => {
    const { refetcher, read } = shownList();
    for (let second = 0; second < 90; second += 1) {
      refetcher.take({ ...change, spreadSeconds: 10 });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(read).toHaveBeenCalledTimes(4); // the first read, and at 5, 45 and 85 seconds
  });

  it.each([
    [5, 10],
    [10, 2],
    [20, 2],
  ])('after resyncs with a spread of %i seconds comes %i times in 95 seconds', async (spreadSeconds, times) => {
    const { refetcher, read } = shownList();
    await vi.advanceTimersByTimeAsync(0);
    read.mockClear();
    for (let second = 0; second < 95; second += 1) {
      refetcher.take({ type: 'resync', spreadSeconds });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(read.mock.calls.length).toBeGreaterThanOrEqual(times);
    expect(read.mock.calls.length).toBeLessThanOrEqual(2 * times);
  });

  it('comes after a resync of types only for queries that they make stale', async () => {
    const incidents = shownList();
    const rules = shownList(0, 'rulesList');
    await vi.advanceTimersByTimeAsync(0);
    for (const { refetcher } of [incidents, rules]) refetcher.take({ type: 'resync', types: ['incident', 'event'] });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(incidents.read).toHaveBeenCalledTimes(2);
    expect(rules.read).toHaveBeenCalledTimes(1);
  });

  it.each([
    [5, 15],
    [10, 2],
  ])(
    'after resyncs of types with a spread of %i seconds comes %i times in 60 seconds',
    async (spreadSeconds, times) => {
      const { refetcher, read } = shownList();
      await vi.advanceTimersByTimeAsync(0);
      read.mockClear();
      for (let second = 0; second < 60; second += 1) {
        refetcher.take({ type: 'resync', types: ['incident'], spreadSeconds });
        await vi.advanceTimersByTimeAsync(1_000);
      }
      expect(read.mock.calls.length).toBeGreaterThanOrEqual(times);
      expect(read.mock.calls.length).toBeLessThanOrEqual(2 * times);
    },
  );

  it('does not come soon after a read of everything among many dashboards', async () => {
    const { refetcher, read } = shownList();
    refetcher.take({ type: 'resync', spreadSeconds: 10 });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(read).toHaveBeenCalledTimes(2);
    refetcher.take({ ...change, spreadSeconds: 10 });
    await vi.advanceTimersByTimeAsync(38_000);
    expect(read).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(read).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['meRead', 'me'],
    ['sourcesList', 'source'],
    ['viewsList', 'view'],
  ])('of %s comes five seconds after the start, of incidents at once', async (read, type) => {
    const list = shownList();
    const me = shownList(0, read);
    await vi.advanceTimersByTimeAsync(1_000);
    for (const { refetcher } of [list, me]) refetcher.take({ type: 'resync', spreadSeconds: 0 });
    await vi.advanceTimersByTimeAsync(3_900);
    expect(list.read).toHaveBeenCalledTimes(2);
    expect(me.read).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(me.read).toHaveBeenCalledTimes(2);
    me.refetcher.take({ type });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(me.read).toHaveBeenCalledTimes(3);
  });

  it('waits ten times the duration of a slow read, and never runs beside it', async () => {
    const { refetcher, read } = shownList(400);
    await vi.advanceTimersByTimeAsync(400);
    const starts: number[] = [];
    for (let tenth = 0; tenth < 100; tenth += 1) {
      const before = read.mock.calls.length;
      refetcher.take(change);
      await vi.advanceTimersByTimeAsync(100);
      if (read.mock.calls.length > before) starts.push(tenth);
    }
    const pauses = starts.slice(1).map((tenth, place) => tenth - (starts[place] ?? 0));
    expect(pauses).toHaveLength(2);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(40);
  });

  it('does not wait longer than a quarter of a minute', async () => {
    const { refetcher, read } = shownList(9_000);
    await vi.advanceTimersByTimeAsync(9_000);
    for (let second = 0; second < 16; second += 1) {
      refetcher.take(change);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(read).toHaveBeenCalledTimes(3); // the first read, and at 0 and 15 seconds
  });
});
