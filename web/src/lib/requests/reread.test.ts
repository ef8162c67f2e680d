import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pages, readNextPage } from '@/lib/requests/pages';
import { reread } from '@/lib/requests/reread';

const SIZE = 50;
const isList = () => true;

/** A list of a server whose rows can be changed, read in pages by a cursor that is the row before the page. */
function shownList(rows: string[]) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const server = { rows };
  const read = vi.fn(({ pageParam }: { pageParam: unknown }) => {
    const from = typeof pageParam === 'string' ? server.rows.indexOf(pageParam) + 1 : 0;
    const items = server.rows.slice(from, from + SIZE).map((id) => ({ id }));
    const isLast = from + SIZE >= server.rows.length;
    return Promise.resolve({ items, nextCursor: isLast ? null : (items.at(-1)?.id ?? null) });
  });
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ['list'],
    queryFn: read,
    ...pages,
    staleTime: 60_000,
  });
  observer.subscribe(() => undefined);
  const shown = () => observer.getCurrentResult().data?.pages.flatMap((page) => page.items.map(({ id }) => id));
  const load = async (count: number) => {
    await vi.waitFor(() => expect(shown()).toBeDefined());
    for (let page = 1; page < count; page += 1) await observer.fetchNextPage();
    read.mockClear();
  };
  return { client, server, read, observer, shown, load };
}

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('reading a list again', () => {
  beforeEach(() => vi.stubGlobal('window', { scrollY: 500 }));
  afterEach(() => vi.unstubAllGlobals());

  it('reads a list of four pages as a whole', async () => {
    const { client, read, load } = shownList(named('a', 300));
    await load(4);
    await reread(client, isList);
    expect(read).toHaveBeenCalledTimes(4);
  });

  it('reads one page of a longer list that is scrolled, and loses and doubles no row', async () => {
    const { client, server, read, shown, load } = shownList(named('a', 450));
    await load(8);
    server.rows = ['a33', 'new0', 'new1', ...named('a', 450).filter((id) => id !== 'a33')];
    await reread(client, isList);
    expect(read).toHaveBeenCalledTimes(1);
    expect(shown()).toEqual(server.rows.slice(0, 402)); // the four hundred rows that were shown, and two new ones
  });

  it('reads further pages until it finds a row of the list', async () => {
    const { client, server, read, shown, load } = shownList(named('a', 450));
    await load(5);
    server.rows = [...named('new', 125), ...named('a', 450)];
    await reread(client, isList);
    expect(read).toHaveBeenCalledTimes(3);
    expect(shown()).toEqual(server.rows.slice(0, 375));
  });

  it('keeps four pages when everything above is new', async () => {
    const { client, server, read, shown, load } = shownList(named('a', 450));
    await load(5);
    server.rows = [...named('new', 1000), ...named('a', 450)];
    await reread(client, isList);
    expect(read).toHaveBeenCalledTimes(4);
    expect(shown()).toEqual(server.rows.slice(0, 200));
  });

  it('continues at the end of the list afterwards', async () => {
    const { client, server, shown, load, observer } = shownList(named('a', 450));
    await load(6);
    for (let round = 0; round < 20; round += 1) {
      server.rows = [`new${round}`, ...server.rows];
      await reread(client, isList);
    }
    await observer.fetchNextPage();
    expect(shown()).toEqual(server.rows.slice(0, 370));
    expect(observer.getCurrentResult().data?.pages).toHaveLength(3);
  });

  it('reads a next page to its end first', async () => {
    const { client, server, shown, load, observer } = shownList(named('a', 450));
    await load(1);
    server.rows = ['new', ...server.rows];
    const next = observer.fetchNextPage();
    await reread(client, isList);
    await next;
    expect(shown()).toEqual(server.rows.slice(0, 100));
  });

  it('ends before a next page that is asked for', async () => {
    const { client, server, shown, load, observer } = shownList(named('a', 450));
    await load(1);
    server.rows = ['new', ...server.rows];
    const whole = reread(client, isList);
    await readNextPage(observer.getCurrentResult());
    await whole;
    expect(shown()).toEqual(server.rows.slice(0, 100));
  });

  it('keeps a next page that is asked for while the head of a long list is read', async () => {
    const { client, server, read, shown, load, observer } = shownList(named('a', 450));
    await load(5);
    server.rows = ['new', ...server.rows];
    const answer = read.getMockImplementation()!;
    read.mockImplementationOnce((head) => {
      void observer.fetchNextPage();
      return answer(head);
    });
    read.mockImplementationOnce(async (next) => {
      await new Promise((then) => setTimeout(then, 20));
      return answer(next);
    });
    await reread(client, isList);
    expect(shown()).toEqual(server.rows.slice(0, 301));
  });

  it('cuts a long list whose top is in sight, and reads the rest as a whole', async () => {
    vi.stubGlobal('window', { scrollY: 0 });
    const { client, server, read, shown, load } = shownList(named('a', 450));
    await load(8);
    server.rows = ['new', ...server.rows];
    await reread(client, isList);
    expect(read).toHaveBeenCalledTimes(4);
    expect(shown()).toEqual(server.rows.slice(0, 200));
  });

  it('marks an invisible list only as stale', async () => {
    const { client, read, load } = shownList(named('a', 450));
    await load(2);
    await reread(client, isList, 'none');
    expect(read).not.toHaveBeenCalled();
    expect(client.getQueryCache().find({ queryKey: ['list'] })?.state.isInvalidated).toBe(true);
  });
});
