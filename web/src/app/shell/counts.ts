import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { incidentsCountsOptions } from '@/api/@tanstack/react-query.gen';
import { setBadge } from '@/lib/auth';
import type { IncidentCounts, WorkspaceRecord } from '@/api';

/** How many incidents are unresolved. The number of open ones is put before the title of the page, whose icon gets a dot. */
export function useUnresolvedCount(workspaceId: WorkspaceRecord['id'] | undefined): IncidentCounts | undefined {
  const counts = useQuery({
    ...incidentsCountsOptions({ query: { workspaceId } }),
    enabled: workspaceId !== undefined,
  });
  const open = counts.data?.byState.open ?? 0;
  const isKnown = counts.data !== undefined;
  useEffect(() => {
    if (isKnown) setBadge(open);
  }, [open, isKnown]);
  useEffect(() => {
    const put = () => {
      const bare = document.title.replace(/^\(\d+\) /, '');
      const title = open > 0 ? `(${open}) ${bare}` : bare;
      if (document.title !== title) document.title = title;
    };
    put();
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) icon.href = open > 0 ? '/icons/favicon-open.svg' : '/favicon.svg';
    const watch = new MutationObserver(put);
    watch.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => watch.disconnect();
  }, [open]);
  return counts.data;
}
