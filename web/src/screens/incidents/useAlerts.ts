import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AlertRecord, IncidentRecord } from '@/api';
import { incidentsAlertsInfiniteOptions, incidentsAlertsOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import type { Pages } from '@/parts/DataTable';
import { beginning } from '@/screens/incidents/beginning';

/** The rows that are shown before a person asks for more. */
const FOLDED = 5;

/** The alerts of an incident in pages: those that fire first, the most severe of them before the others. */
export function useAlerts({ id, alertCount }: IncidentRecord): Pages<AlertRecord> {
  const [isUnfolded, setUnfolded] = useState(false);
  const query = useInfiniteQuery({
    ...incidentsAlertsInfiniteOptions({ path: { incident_id: id }, query: { limit: 50 } }),
    ...pages,
    enabled: alertCount > 1,
  });
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (isUnfolded || rows.length <= FOLDED) return query;
  return {
    data: { pages: [{ items: rows.slice(0, FOLDED) }] },
    error: query.error,
    isPending: false,
    hasNextPage: true,
    isFetchingNextPage: false,
    fetchNextPage: () => setUnfolded(true),
    refetch: query.refetch,
  };
}

/** When the one alert of an incident began by the sender's time, where that is well before its first event. */
export function useBeginning({ id, alertCount }: IncidentRecord): { at: string | null; isLoading: boolean } {
  const query = useQuery({
    ...incidentsAlertsOptions({ path: { incident_id: id }, query: { limit: 1 } }),
    enabled: alertCount === 1,
  });
  const alert = query.data?.items[0];
  return { at: alert ? beginning(alert) : null, isLoading: query.isLoading };
}
