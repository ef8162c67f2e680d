import { useQueries } from '@tanstack/react-query';
import type { SourceRecord } from '@/api';
import { activityOfSourcesOptions } from '@/api/@tanstack/react-query.gen';

const MINUTE = 60_000;
type Id = SourceRecord['id'];

/** The events by the hour of the last day of all sources of these pages: one request a page, each minute. */
export function useSourceActivity(pages: Id[][]): Map<Id, number[]> {
  const found = useQueries({
    queries: pages
      .filter((ids) => ids.length > 0)
      .map((ids) => ({
        ...activityOfSourcesOptions({ query: { id: ids } }),
        staleTime: MINUTE,
        refetchInterval: MINUTE,
      })),
  });
  return new Map(found.flatMap(({ data }) => data?.items.map((each) => [each.id, each.counts] as const) ?? []));
}
