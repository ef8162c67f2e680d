import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refetcher } from '@/live/refetch';

const change = { type: 'incident', id: 'inc_1' };

/** A list that is shown, and how often it was read. */
function shownList() {
  const client = new QueryClient();
  const read = vi.fn(() => Promise.resolve([]));
  const observer = new QueryObserver(client, {
    queryKey: [{ _id: 'incidentsList' }],
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

  it('comes once in the spread however many references arrive', async () => {
    const { refetcher, read } = shownList();
    for (let second = 0; second < 40; second += 1) {
      refetcher.take({ ...change, spreadSeconds: 10 });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(read).toHaveBeenCalledTimes(5); // the first read, and at 5, 15, 25 and 35 seconds
  });
});
