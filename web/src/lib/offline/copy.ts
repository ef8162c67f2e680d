import { dehydrate, hydrate, type DehydratedState, type Query, type QueryClient } from '@tanstack/react-query';
import type { EventRecord, IncidentRecord, UserRecord, WorkspacesPage } from '@/api';
import { drop, keep, readKept } from '@/lib/offline/store';
import { queries } from '@/lib/requests/queries';

/**
 * A copy of what was read last, for an installed app without a connection: the person, the workspaces, the first page of
 * the last list of incidents, and the incidents that were opened with what happened. It is removed with the device, on signing out, and when
 * somebody else signs in.
 */
type Copy = { userId: UserRecord['id']; state: DehydratedState };
type Page = { pages: unknown[]; pageParams: unknown[] };
type Stored = DehydratedState['queries'][number];
type Key = { _id?: string; path?: { incident_id?: string } };

const NAME = 'copy';
const EVERY = 500;
const RECORDS = 30;
const ALWAYS = ['meRead', 'workspacesList', 'incidentsCounts'];
const LATEST: Record<string, number> = {
  incidentsList: 1,
  incidentsRead: RECORDS,
  incidentsTimeline: RECORDS,
  eventsRead: RECORDS,
};

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
  return keyOf(query)._id ?? '';
}

function keyOf(query: Pick<Query, 'queryKey'>): Key {
  return (query.queryKey as [Key?])[0] ?? {};
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
  const before = await readKept<Copy>(NAME).catch(() => undefined);
  // Read afterwards: the person may have signed out meanwhile.
  const all = queries.getQueryCache().getAll();
  const me = all.find((query) => operation(query) === 'meRead')?.state.data as UserRecord | undefined;
  if (!isKept || me === undefined) return;
  const earlier = before?.userId === me.id ? before.state.queries : [];
  await keep(NAME, { userId: me.id, state: merged(copied(queries), earlier) } satisfies Copy);
}

/**
 * The queries of a copy with those that an earlier one had: the cache forgets what is not shown, and the copy must not. Incidents
 * of workspaces that the person can no longer read leave it.
 */
export function merged(state: DehydratedState, earlier: readonly Stored[]): DehydratedState {
  const present = new Set(state.queries.map((each) => each.queryHash));
  const both = [...state.queries, ...earlier.filter((each) => !present.has(each.queryHash))];
  const of = (name: string) => both.filter((each) => operation(each) === name).sort(newestFirst);
  const own = new Set((of('workspacesList')[0]?.state.data as WorkspacesPage | undefined)?.items.map(({ id }) => id));
  const read = of('incidentsRead').filter((each) => own.has((each.state.data as IncidentRecord).workspaceId));
  const ids = new Set(read.slice(0, RECORDS).map((each) => keyOf(each).path?.incident_id));
  const chosen = [
    ...both.filter((each) => ALWAYS.includes(operation(each))),
    ...of('incidentsList').slice(0, 1),
    ...read.slice(0, RECORDS),
    ...of('incidentsTimeline').filter((each) => ids.has(keyOf(each).path?.incident_id)),
    ...of('eventsRead')
      .filter((each) => ids.has((each.state.data as EventRecord).incidentId ?? undefined))
      .slice(0, RECORDS),
  ];
  return { ...state, queries: chosen };
}

function newestFirst(one: Stored, other: Stored): number {
  return other.state.dataUpdatedAt - one.state.dataUpdatedAt;
}

/** Returns the stored part of a cache. A query that could not be read again keeps its earlier data. */
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
      .filter((query) => operation(query) === name && query.state.data !== undefined && !isSample(query))
      .sort((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt)
      .slice(0, count)
      .forEach((query) => persisted.add(query)),
  );
  return (query) => query.state.data !== undefined && persisted.has(query);
}

/** Lists that are read for one number or a choice are no list that a person saw. */
function isSample(query: Query): boolean {
  return operation(query) === 'incidentsList' && !Array.isArray((query.state.data as Partial<Page>).pages);
}

function firstPage(data: unknown): unknown {
  const list = data as Partial<Page> | undefined;
  if (!Array.isArray(list?.pages) || !Array.isArray(list.pageParams)) return data;
  return { ...list, pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) };
}

/** Removes data that was read for another person: from this page, and everything from the copy. */
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
