import { useDocumentVisibility } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { IncidentCounts, WorkspaceRecord } from '@/api';
import { incidentsCountsOptions } from '@/api/@tanstack/react-query.gen';
import { below } from '@/lib/navigation/base';
import { hasBadge, setBadge } from '@/lib/session/auth';

const HIDDEN_EVERY = 60_000;

/** The number of unresolved incidents of the workspace. */
export function useUnresolvedCount(workspaceId: WorkspaceRecord['id'] | undefined): IncidentCounts | undefined {
  return useQuery(countsOf(workspaceId)).data;
}

/**
 * Puts the number of open incidents before the title of the page, whose icon gets a dot. The icon of an installed app shows those
 * of all workspaces. The live layer reads nothing for a hidden page: then both are read again each minute.
 */
export function useOpenCount(workspaceId: WorkspaceRecord['id'] | undefined): void {
  const isHidden = useDocumentVisibility() === 'hidden';
  const whileHidden = { refetchInterval: isHidden && HIDDEN_EVERY, refetchIntervalInBackground: true } as const;
  const counts = useQuery({ ...countsOf(workspaceId), ...whileHidden });
  const all = useQuery({ ...incidentsCountsOptions(), ...whileHidden, enabled: hasBadge() });
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
    if (icon) icon.href = below(open > 0 ? '/icons/favicon-open.svg' : '/favicon.svg');
    const watch = new MutationObserver(put);
    watch.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => watch.disconnect();
  }, [open]);
}

function countsOf(workspaceId: WorkspaceRecord['id'] | undefined) {
  return { ...incidentsCountsOptions({ query: { workspaceId } }), enabled: workspaceId !== undefined };
}
