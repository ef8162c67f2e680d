import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { EventRow, EventsListData } from '@/api';
import { eventsListInfiniteOptions, eventsListOptions, sourcesListOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { SEVERITIES, type Severity } from '@/lib/words/words';
import { type Disposition, DISPOSITIONS } from '@/parts/events/dispositions';

export type EventFilters = {
  q: string;
  source: string;
  severity: string;
  disposition: string;
  label: string;
  last: string;
  sort: string;
};
type Query = NonNullable<EventsListData['query']>;

const NAMES = ['q', 'source', 'severity', 'disposition', 'label', 'last', 'sort'] as const;
const PERIODS = ['1h', '24h', '7d', '30d'];
const AT_LEAST = 'gte:';
const TOP = 60;

function filtersOf(key: string): EventFilters {
  return Object.fromEntries(JSON.parse(key) as [string, string][]) as EventFilters;
}

/** The query of the address, and its rows. Invalid values are left out. */
export function useEvents() {
  const { workspace } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const isAtTop = useAtTop();
  const [tailWanted, setTail] = useState(false);
  // Another part of the address, such as the open event, leaves the beginning of the period where it is.
  const filterKey = JSON.stringify(NAMES.map((name) => [name, params.get(name) ?? '']));
  const filters = useMemo(() => filtersOf(filterKey), [filterKey]);
  const where = useMemo(() => ({ workspaceId: workspace.id, ...queryOf(filters) }), [workspace.id, filters]);
  const mayTail = filters.sort === '';
  const tail = tailWanted && mayTail;

  // Without the tail the rows are read once, and again while one of them is not routed yet.
  const query = useInfiniteQuery({
    ...eventsListInfiniteOptions({ query: { ...where, limit: 50 } }),
    ...pages,
    gcTime: 0,
    placeholderData: keepPreviousData,
    enabled: (current) =>
      (tail && isAtTop) ||
      current.state.data === undefined ||
      rowsOf(current.state.data as Loaded).some((row) => row.disposition === 'pending'),
  });
  const newest = useQuery({
    ...eventsListOptions({ query: { ...where, limit: 1 } }),
    enabled: mayTail && query.isSuccess,
  });
  const first = rowsOf(query.data)[0]?.id;
  const newestId = newest.data?.items[0]?.id;
  const sources = useQuery(
    sourcesListOptions({ query: { workspaceId: workspace.id, limit: 200, sort: 'name', order: 'asc' } }),
  );

  const change = (changes: Partial<EventFilters>) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [name, value] of Object.entries(changes)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
  return {
    filters,
    change,
    query,
    where,
    sources: sources.data?.items ?? [],
    tail,
    setTail,
    mayTail,
    isAtTop,
    isFiltered: NAMES.some((name) => name !== 'sort' && filters[name] !== ''),
    clear: () => change({ q: '', source: '', severity: '', disposition: '', label: '', last: '' }),
    hasNew:
      !tail &&
      !query.isPlaceholderData &&
      !query.isFetching &&
      newestId !== undefined &&
      newest.dataUpdatedAt > query.dataUpdatedAt &&
      newestId !== first,
    showNew: () => {
      window.scrollTo({ top: 0 });
      void query.refetch();
    },
  };
}

type Loaded = { pages: { items: EventRow[] }[] };

function rowsOf(data: Loaded | undefined): EventRow[] {
  return data?.pages.flatMap((page) => page.items) ?? [];
}

export function queryOf(filters: EventFilters): Query {
  const query: Query = {};
  if (filters.q.trim()) query.q = filters.q.trim();
  if (filters.source.startsWith('src_')) query.sourceId = [filters.source] as NonNullable<Query['sourceId']>;
  const isLeast = filters.severity.startsWith(AT_LEAST);
  const severity = filters.severity.replace(AT_LEAST, '') as Severity;
  if (SEVERITIES.includes(severity))
    Object.assign(query, isLeast ? { minSeverity: severity } : { severity: [severity] });
  if (filters.disposition in DISPOSITIONS) query.disposition = [filters.disposition as Disposition];
  if (/^[^=]+=/.test(filters.label)) query.label = [filters.label];
  if (PERIODS.includes(filters.last)) query.last = filters.last;
  if (filters.sort === 'oldest') return { ...query, sort: 'received', order: 'asc' };
  if (filters.sort === 'severity') return { ...query, sort: 'severity', order: 'desc' };
  if (filters.sort === 'title' || filters.sort === 'source' || filters.sort === 'disposition')
    return { ...query, sort: filters.sort, order: 'asc' };
  return query;
}

function useAtTop(): boolean {
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    const onScroll = () => setAtTop(window.scrollY < TOP);
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  return isAtTop;
}
