import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { incidentsCountsOptions } from '@/api/@tanstack/react-query.gen';
import { hasBadge, setBadge } from '@/lib/auth';
import type { IncidentCounts, WorkspaceRecord } from '@/api';

/**
 * How many incidents are unresolved. The number of open ones is put before the title of the page, whose icon gets a dot. The icon
 * of an installed app shows those of all workspaces.
 */
export function useUnresolvedCount(workspaceId: WorkspaceRecord['id'] | undefined): IncidentCounts | undefined {
  const counts = useQuery({
    ...incidentsCountsOptions({ query: { workspaceId } }),
    enabled: workspaceId !== undefined,
  });
  const all = useQuery({ ...incidentsCountsOptions(), enabled: hasBadge() });
  const open = counts.data?.byState.open ?? 0;
  const openEverywhere = all.data && (all.data.byState.open ?? 0);
  useEffect(() => {
    if (openEverywhere !== undefined && hasBadge()) setBadge(openEverywhere);
  }, [openEverywhere]);
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
