import { useMediaQuery } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import type { IncidentRecord } from '@/api';
import { activityOfIncidentsOptions } from '@/api/@tanstack/react-query.gen';

const MINUTE = 60_000;
const PAGE = 50;
const MOST_PAGES = 4;

/** The events by the hour of the last day of the first 200 incidents, on screens that have room for them. */
export function useIncidentActivity(incidents: readonly IncidentRecord[]): ReadonlyMap<string, readonly number[]> {
  const isWide = useMediaQuery('(min-width: 75em)', false, { getInitialValueInEffect: false });
  const ids = isWide ? incidents.slice(0, PAGE * MOST_PAGES).map((each) => each.id) : [];
  const found = useQueries({
    queries: Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, page) => ({
      ...activityOfIncidentsOptions({ query: { id: ids.slice(page * PAGE, (page + 1) * PAGE) } }),
      staleTime: MINUTE,
      refetchInterval: MINUTE,
    })),
  });
  return new Map(found.flatMap(({ data }) => data?.items.map((each) => [each.id, each.counts] as const) ?? []));
}
