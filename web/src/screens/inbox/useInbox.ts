import { useInfiniteQuery, useQuery, keepPreviousData } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import {
  incidentsCountsOptions,
  incidentsFacetsOptions,
  incidentsListInfiniteOptions,
  sourcesListOptions,
  viewsListOptions,
} from '@/api/@tanstack/react-query.gen';
import { filtersOf, kindsOf, type Names, parseSearch } from '@/lib/incidents/search';
import { pages } from '@/lib/requests/pages';
import { rememberInbox, useWorkspace } from '@/lib/session/workspace';
import { FACETS } from '@/screens/inbox/facets';
import { sortOf, sortQuery, sortText } from '@/screens/inbox/sorts';
import { tabOf } from '@/screens/inbox/tabs';
import { useNames } from '@/screens/inbox/useNames';

const EMPTY_PAGES = 20;
const FACET_NAMES = FACETS.map((each) => each.name);

export type InboxState = ReturnType<typeof useInbox>;

/** The query of the address and its rows, with visible facets and the saved views. */
export function useInbox({ withFacets }: { withFacets: boolean }) {
  const { workspace } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const address = params.toString();
  useEffect(() => rememberInbox(workspace.slug, address), [workspace.slug, address]);
  const text = params.get('q') ?? '';
  const state = params.get('state');
  const tab = useMemo(() => tabOf(state), [state]);
  const sort = sortOf(params.get('sort'), tab.name);
  const sources = useQuery(sourcesListOptions({ query: { workspaceId: workspace.id, limit: 200 } }));
  const search = useMemo(() => parseSearch(text), [text]);
  const views = useQuery(
    viewsListOptions({
      query: { workspaceId: workspace.id, list: 'incidents', limit: 200, sort: 'order', order: 'asc' },
    }),
  );
  const more = useMemo(
    () =>
      new Set<keyof Names>([
        ...(withFacets ? (['source', 'rule', 'person'] as const) : []),
        ...(views.data?.items.flatMap((each) => kindsOf(each.filters)) ?? []),
      ]),
    [withFacets, views.data],
  );
  const { names, isReady, areRead } = useNames(search, sources, more);
  const { filters, faults } = useMemo(() => filtersOf(search, names), [search, names]);

  const query = { workspaceId: workspace.id, ...filters, ...(tab.states.length ? { state: tab.states } : {}) };
  const list = useInfiniteQuery({
    ...incidentsListInfiniteOptions({ query: { ...query, ...sortQuery(sort), limit: 50 } }),
    ...pages,
    enabled: isReady,
    placeholderData: keepPreviousData,
  });
  const counts = useQuery({
    ...incidentsCountsOptions({ query: { workspaceId: workspace.id, ...filters } }),
    enabled: isReady,
    placeholderData: keepPreviousData,
  });
  const facets = useQuery({
    ...incidentsFacetsOptions({ query: { ...query, facet: FACET_NAMES } }),
    enabled: isReady && withFacets,
    placeholderData: keepPreviousData,
  });
  const loaded = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const incidents = useMemo(
    () => loaded.filter((each) => tab.states.length === 0 || tab.states.includes(each.state)),
    [loaded, tab],
  );

  // A page may be empty although more rows follow: the search for a rare filter continues by itself, for some pages.
  const isEmpty = list.isSuccess && incidents.length === 0 && list.hasNextPage && list.data.pages.length < EMPTY_PAGES;
  const { isFetching, fetchNextPage } = list;
  useEffect(() => {
    if (isEmpty && !isFetching) void fetchNextPage();
  }, [isEmpty, isFetching, fetchNextPage]);

  const set = setterOf(setParams);
  const matching = {
    filter: query,
    count: counts.data && !counts.isPlaceholderData ? tab.count(counts.data) : null,
  };
  return {
    tab,
    text,
    sort,
    /** The name of what is shown. */
    view: `${tab.name} ${sortText(sort, tab.name)} ${text}`,
    /** The query that a saved view stores. */
    saved: { ...query, ...sortQuery(sort) },
    search,
    matching,
    faults,
    names,
    list,
    facets,
    views: areRead ? views.data?.items : undefined,
    isFiltered: params.size > 0,
    counts: counts.data,
    incidents,
    sources: sources.data?.items ?? [],
    set,
  };
}

function setterOf(setParams: ReturnType<typeof useSearchParams>[1]) {
  return (change: { q?: string; state?: string; sort?: string }) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [name, value] of Object.entries(change)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
}

const TOP = 60;

/**
 * Rows do not move under the hand: while the page is scrolled, new rows wait until they are asked for or the top is reached.
 * Answers the rows to show, how many wait, and how to show them.
 */
export function useSettled<Row extends { id: string }>(rows: readonly Row[], view: string) {
  const [seen, setSeen] = useState<{ view: string; ids: Set<string> }>({ view, ids: new Set() });
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    const onScroll = () => setAtTop(window.scrollY < TOP);
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  const last = rows.at(-1)?.id;
  useEffect(() => {
    setSeen((old) => (isAtTop || old.view !== view ? { view, ids: new Set(rows.map((row) => row.id)) } : old));
  }, [isAtTop, rows, view]);
  const acceptPage = useEffectEvent(() => {
    // A further page is at the end: what it brought was asked for.
    setSeen((old) => ({ ...old, ids: new Set([...old.ids, ...(last ? rows.slice(-50).map((row) => row.id) : [])]) }));
  });
  useEffect(() => acceptPage(), [last]);
  const shown = isAtTop || seen.view !== view ? rows : rows.filter((row) => seen.ids.has(row.id));
  const accept = () => {
    setSeen({ view, ids: new Set(rows.map((row) => row.id)) });
    window.scrollTo({ top: 0 });
  };
  return { shown, waiting: rows.length - shown.length, accept };
}
