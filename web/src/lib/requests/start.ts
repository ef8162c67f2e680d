import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { startRead, type StartRecord, type WorkspacesPage } from '@/api';
import {
  incidentsCountsQueryKey,
  infoReadQueryKey,
  meReadPreferencesQueryKey,
  meReadQueryKey,
  workspacesListOptions,
} from '@/api/@tanstack/react-query.gen';

/** The workspaces of the person by name, as all screens read them. */
export function myWorkspaces() {
  return workspacesListOptions({ query: { limit: 200, sort: 'name', order: 'asc' } });
}

/**
 * Reads what every screen needs by one request, and puts its parts where the screens look for them.
 *
 * 1. The queries of the parts wait for the one answer. A screen that is shown meanwhile waits with them.
 * 2. Parts that are fresh are not read again.
 * 3. After a failure the queries are repeated one by one, each by its own request.
 */
export function readStart(cache: QueryClient): void {
  let answer: Promise<StartRecord> | undefined;
  const part = (queryKey: QueryKey, take: (start: StartRecord) => unknown) =>
    void cache.prefetchQuery({ queryKey, queryFn: async () => take(await (answer ??= read(cache))) });
  part(meReadQueryKey(), (start) => start.me);
  part(meReadPreferencesQueryKey(), (start) => start.preferences);
  part(myWorkspaces().queryKey, (start) => page(start.workspaces));
  part(infoReadQueryKey(), (start) => start.info);
}

async function read(cache: QueryClient): Promise<StartRecord> {
  const { data } = await startRead({ throwOnError: true });
  putCounts(cache, data.counts);
  return data;
}

/** Stores the counts of all workspaces, also as the counts of a person's only workspace. */
function putCounts(cache: QueryClient, counts: StartRecord['counts']): void {
  cache.setQueryData(incidentsCountsQueryKey(), counts);
  const [only, ...others] = counts.byWorkspace;
  if (only === undefined || others.length > 0) return;
  cache.setQueryData(incidentsCountsQueryKey({ query: { workspaceId: only.workspaceId } }), counts);
}

/** The answer is the whole list. */
function page(items: StartRecord['workspaces']): WorkspacesPage {
  return { items, nextCursor: null, partial: false, total: null };
}
