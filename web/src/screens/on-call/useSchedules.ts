import { useInfiniteQuery } from '@tanstack/react-query';
import { schedulesListInfiniteOptions, shiftsOnCallNowInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { useWorkspace } from '@/lib/session/workspace';

/** A handoff changes no record, so who is on call is read again. */
export const REREAD_MS = 30_000;

/** All queries whose answers change with a schedule, an override or a forwarding. */
export const CHANGED = [
  'schedulesList',
  'schedulesRead',
  'shiftsList',
  'onCallLogList',
  'shiftsOnCallNow',
  'personShiftsList',
  'overridesList',
  'forwardingsList',
] as const;

/** All schedules of the workspace, and who is on call by each. A workspace has at most 200. */
export function useSchedules() {
  const { workspace } = useWorkspace();
  const all = { query: { workspaceId: workspace.id, limit: 200, sort: 'name', order: 'asc' } } as const;
  const list = useInfiniteQuery({ ...schedulesListInfiniteOptions(all), ...pages });
  const now = useInfiniteQuery({ ...shiftsOnCallNowInfiniteOptions(all), ...pages, refetchInterval: REREAD_MS });
  useAllPages(list);
  useAllPages(now);
  return {
    list,
    now,
    schedules: list.data?.pages.flatMap((page) => page.items) ?? [],
    onCall: now.data?.pages.flatMap((page) => page.items) ?? [],
  };
}
