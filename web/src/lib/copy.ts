import { dehydrate, hydrate, type DehydratedState, type Query, type QueryClient } from '@tanstack/react-query';
import type { UserRecord } from '@/api';
import { queries } from '@/lib/queries';
import { drop, keep, readKept } from '@/lib/store';

/**
 * A copy of what was read last, for an installed app without a connection: the person, the workspaces, the first page of
 * the last list of incidents, and the incidents that were opened. It is removed with the device, on signing out, and when
 * somebody else signs in.
 */
type Copy = { userId: UserRecord['id']; state: DehydratedState };
type Page = { pages: unknown[]; pageParams: unknown[] };

const NAME = 'copy';
const EVERY = 500;
const RECORDS = 30;
const ALWAYS = ['meRead', 'workspacesList', 'incidentsCounts'];
const LATEST: Record<string, number> = { incidentsList: 1, incidentsRead: RECORDS, incidentsTimeline: RECORDS };

/** The state of a query whose last read succeeded. */
const READ = {
  status: 'success',
  fetchStatus: 'idle',
  error: null,
  fetchFailureCount: 0,
  fetchFailureReason: null,
} as const;

let isKept = false;
let shownTo: UserRecord['id'] | null = null;

function operation(query: Pick<Query, 'queryKey'>): string {
  const [key] = query.queryKey as [{ _id?: string }?];
  return key?._id ?? '';
}

/** Puts the copy into the cache, before the first page is shown; afterwards the copy follows the cache. */
export async function startCopy(): Promise<void> {
  isKept = true;
  const copy = await readKept<Copy>(NAME).catch(() => undefined);
  if (copy) hydrate(queries, copy.state);
  let timer: ReturnType<typeof setTimeout> | undefined;
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success') return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void writeCopy().catch(() => undefined);
    }, EVERY);
  });
}

async function writeCopy(): Promise<void> {
  const all = queries.getQueryCache().getAll();
  const me = all.find((query) => operation(query) === 'meRead')?.state.data as UserRecord | undefined;
  if (!isKept || me === undefined) return;
  await keep(NAME, { userId: me.id, state: copied(queries) } satisfies Copy);
}

/** What is kept of a cache. A query that could not be read again is kept with what was read before. */
export function copied(cache: QueryClient): DehydratedState {
  const all = cache.getQueryCache().getAll();
  const state = dehydrate(cache, { shouldDehydrateQuery: worthKeeping(all), shouldDehydrateMutation: () => false });
  state.queries.forEach((each) => {
    const { data, dataUpdatedAt } = each.state;
    each.state = { ...each.state, ...READ, data: firstPage(data), dataUpdatedAt };
  });
  return state;
}

function worthKeeping(all: readonly Query[]): (query: Query) => boolean {
  const persisted = new Set<Query>(all.filter((query) => ALWAYS.includes(operation(query))));
  Object.entries(LATEST).forEach(([name, count]) =>
    all
      .filter((query) => operation(query) === name && query.state.data !== undefined)
      .sort((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
      .slice(0, count)
      .forEach((query) => persisted.add(query)),
  );
  return (query) => query.state.data !== undefined && persisted.has(query);
}

function firstPage(data: unknown): unknown {
  const list = data as Partial<Page> | undefined;
  if (!Array.isArray(list?.pages) || !Array.isArray(list.pageParams)) return data;
  return { ...list, pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };
}

/** What was read for another person is removed: from this page, and with the copy all that came from it. */
export async function dropCopyOfOthers(userId: UserRecord['id']): Promise<void> {
  const isOther = shownTo !== null && shownTo !== userId;
  shownTo = userId;
  if (isOther) void queries.resetQueries().catch(() => undefined);
  const copy = await readKept<Copy>(NAME).catch(() => undefined);
  if (copy && copy.userId !== userId) {
    await drop(NAME);
    queries.clear();
  }
}

/** Removes the copy. Nothing is written after it in this page. */
export async function dropCopy(): Promise<void> {
  isKept = false;
  await drop(NAME).catch(() => undefined);
}
