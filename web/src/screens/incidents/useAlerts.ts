import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AlertRecord, IncidentRecord } from '@/api';
import { incidentsAlertsInfiniteOptions, incidentsAlertsOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import type { Pages } from '@/parts/DataTable';
import { beginning } from '@/screens/incidents/beginning';

/** The rows that are shown before a person asks for more. */
const FOLDED = 5;

/** The alerts of an incident: those that fire first, then those that ended, each part in pages. */
export function useAlerts(incident: IncidentRecord): Pages<AlertRecord> {
  const [isUnfolded, setUnfolded] = useState(false);
  const firing = useAlertsIn(incident, 'firing', incident.firingCount > 0);
  const ended = useAlertsIn(incident, 'ended', true);
  const rows = [...firing.rows, ...(firing.query.hasNextPage ? [] : ended.rows)];
  const isFolded = !isUnfolded && rows.length > FOLDED;
  const next = firing.query.hasNextPage ? firing.query : ended.query;
  return {
    data: { pages: [{ items: isFolded ? rows.slice(0, FOLDED) : rows }] },
    error: firing.query.error ?? ended.query.error,
    isPending: (firing.query.isEnabled && firing.query.isPending) || ended.query.isPending,
    hasNextPage: isFolded || next.hasNextPage,
    isFetching: !isFolded && next.isFetching,
    isFetchingNextPage: next.isFetchingNextPage,
    fetchNextPage: () => (isFolded ? setUnfolded(true) : next.fetchNextPage()),
    refetch: (options) => Promise.all([firing, ended].map(({ query }) => query.refetch(options))),
  };
}

function useAlertsIn({ id }: IncidentRecord, state: 'firing' | 'ended', enabled: boolean) {
  const query = useInfiniteQuery({
    ...incidentsAlertsInfiniteOptions({ path: { incident_id: id }, query: { limit: 50, state: [state] } }),
    ...pages,
    enabled,
  });
  return { query, rows: enabled ? (query.data?.pages.flatMap((page) => page.items) ?? []) : [] };
}

/** When the one alert of an incident began by the sender's time, where that is well before its first event. */
export function useBeginning({ id, alertCount }: IncidentRecord): string | null {
  const query = useQuery({
    ...incidentsAlertsOptions({ path: { incident_id: id }, query: { limit: 1 } }),
    enabled: alertCount === 1,
  });
  const alert = query.data?.items[0];
  return alert ? beginning(alert) : null;
}
