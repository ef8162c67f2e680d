import { useInfiniteQuery } from '@tanstack/react-query';
import { watchersListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { useWorkspace } from '@/lib/session/workspace';

/** A check-in that changes nothing is not on the stream, so its time is read again. */
export const REREAD_MS = 30_000;

/** All watchers of the workspace, at most 500. */
export function useWatchers() {
  const { workspace } = useWorkspace();
  const query = useInfiniteQuery({
    ...watchersListInfiniteOptions({
      query: { workspaceId: workspace.id, limit: 200, sort: 'name', order: 'asc' },
    }),
    ...pages,
    refetchInterval: REREAD_MS,
  });
  useAllPages(query);
  return { query, watchers: query.data?.pages.flatMap((page) => page.items) ?? [] };
}
