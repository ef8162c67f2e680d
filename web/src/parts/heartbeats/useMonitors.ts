import { useInfiniteQuery } from '@tanstack/react-query';
import { heartbeatMonitorsListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { useWorkspace } from '@/lib/session/workspace';

/** A success that changes no status is not on the stream, so times of pings are read again. */
export const REREAD_MS = 30_000;

/** All monitors of the workspace. A workspace has at most 500, and filters look at all of them. */
export function useMonitors() {
  const { workspace } = useWorkspace();
  const query = useInfiniteQuery({
    ...heartbeatMonitorsListInfiniteOptions({
      query: { workspaceId: workspace.id, limit: 200, sort: 'name', order: 'asc' },
    }),
    ...pages,
    refetchInterval: REREAD_MS,
  });
  useAllPages(query);
  return { query, monitors: query.data?.pages.flatMap((page) => page.items) ?? [] };
}
