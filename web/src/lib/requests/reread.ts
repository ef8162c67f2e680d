import type { InfiniteData, Query, QueryClient, QueryFunction } from '@tanstack/react-query';

type Page = { items: { id: string }[]; nextCursor: string | null };
type Pages = InfiniteData<Page, unknown>;

/** A list with more rows is not read again as a whole: for ten thousand rows each change would cost two hundred requests. */
const FEW_ROWS = 200;
const FEW_PAGES = 4;
const PAGE = 50;
const TOP = 60;

/** Returns whether a query is a list of many rows. */
export function isLong(query: Pick<Query, 'state'>): boolean {
  const data = query.state.data as Partial<Pages> | undefined;
  if (!Array.isArray(data?.pages)) return false;
  return data.pages.reduce((sum, page) => sum + page.items.length, 0) > FEW_ROWS;
}

/**
 * Reads again what these queries show; what nobody looks at is only marked as stale.
 *
 * 1. A list of a few pages is read as a whole.
 * 2. A long list whose top is in sight is cut to a few pages first.
 * 3. Of a long list that is scrolled only the new rows at the head are read. The rows below stay as they were read.
 *
 * A next page that is being read ends first: the read of the list would cancel it, and what somebody asked for would not come.
 */
export async function reread(
  client: QueryClient,
  predicate: (query: Query) => boolean,
  refetchType: 'active' | 'none' = 'active',
): Promise<void> {
  const active = client.getQueryCache().findAll({ predicate, type: 'active' });
  const paging = active.filter(isReadingNextPage);
  const long = active.filter((each) => isLong(each) && !paging.includes(each));
  const heads = long.filter(() => refetchType === 'active' && window.scrollY >= TOP);
  long.filter((each) => !heads.includes(each)).forEach((each) => cut(client, each));
  const later = [...heads, ...paging];
  await Promise.all([
    ...heads.map((each) => rereadHead(client, each)),
    ...paging.map((each) => endOfNextPage(each).then(() => reread(client, (query) => query === each, refetchType))),
    client.invalidateQueries({ predicate: (query) => predicate(query) && !later.includes(query), refetchType }),
  ]);
}

function isReadingNextPage(query: Query): boolean {
  return query.state.fetchStatus !== 'idle' && Boolean(query.state.fetchMeta?.fetchMore);
}

async function endOfNextPage(query: Query): Promise<void> {
  if (isReadingNextPage(query)) await query.promise?.catch(() => undefined);
}

function cut(client: QueryClient, query: Query): void {
  client.setQueryData<Pages>(query.queryKey, (old) => old && firstPages(old), { updatedAt: query.state.dataUpdatedAt });
}

function firstPages({ pages, pageParams }: Pages): Pages {
  const first = pages.slice(0, FEW_PAGES).map((page) => ({ ...page, items: page.items.slice(0, PAGE) }));
  return { pages: first, pageParams: pageParams.slice(0, FEW_PAGES) };
}

/** Reads pages from the head until one ends with a row that the list has, and puts them in place of the rows up to it. */
async function rereadHead(client: QueryClient, query: Query): Promise<void> {
  const { pages, pageParams } = query.state.data as Pages;
  const read = query.options.queryFn as QueryFunction<Page, readonly unknown[], unknown>;
  const oldIds = new Set(pages.flatMap((page) => page.items.map((row) => row.id)));
  const head: Pages = { pages: [], pageParams: [] };
  let pageParam = pageParams[0];
  while (head.pages.length < FEW_PAGES) {
    const { signal } = new AbortController();
    const page = await read({ client, queryKey: query.queryKey, pageParam, direction: 'forward', signal, meta: {} });
    head.pages.push(page);
    head.pageParams.push(pageParam);
    const last = page.items.at(-1);
    if (page.nextCursor === null || (last && oldIds.has(last.id))) break;
    pageParam = page.nextCursor;
  }
  await endOfNextPage(query);
  client.setQueryData<Pages>(query.queryKey, (old) => old && withHead(old, head));
}

/** The list with a new head. The old rows down to the last one of the head go, and so does what has moved into it. */
export function withHead(old: Pages, head: Pages): Pages {
  const last = head.pages.at(-1);
  const end = last?.items.at(-1)?.id;
  if (end === undefined || last?.nextCursor === null) return head;
  const rows = old.pages.flatMap((page) => page.items);
  const at = rows.findIndex((row) => row.id === end);
  const tail = old.pages.at(-1);
  if (at < 0 || tail === undefined) return head;
  const ids = new Set(head.pages.flatMap((page) => page.items.map((row) => row.id)));
  // One page of its own size: small remains of pages would add up. The list continues where its last page ended.
  const rest = { ...tail, items: rows.slice(at + 1).filter((row) => !ids.has(row.id)) };
  return { pages: [...head.pages, rest], pageParams: [...head.pageParams, old.pageParams.at(-1)] };
}
