import { useQuery } from '@tanstack/react-query';
import type { IncidentsListData } from '@/api';
import { incidentsListOptions } from '@/api/@tanstack/react-query.gen';
import { TimeAgo } from '@/parts/TimeAgo';

/** When the last incident was resolved. */
export function LastResolved({ workspaceId }: Pick<NonNullable<IncidentsListData['query']>, 'workspaceId'>) {
  const last = useQuery(incidentsListOptions({ query: { workspaceId, sort: 'resolved', limit: 1 } }));
  const at = last.data?.items[0]?.resolvedAt;
  if (!at) return null;
  return (
    <>
      The last incident was resolved <TimeAgo at={at} />.
    </>
  );
}
