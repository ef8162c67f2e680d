import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { rulesReorder, type RuleRecord } from '@/api';
import { rulesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/app/workspace';
import { pages } from '@/lib/pages';
import { sayFault } from '@/parts/toast';

/** All rules in their order. A move is shown at once, and taken back when the server refuses it. */
export function useRules() {
  const { workspace } = useWorkspace();
  const query = useInfiniteQuery({
    ...rulesListInfiniteOptions({ query: { workspaceId: workspace.id, limit: 100 } }),
    ...pages,
  });
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const [moved, setMoved] = useState<RuleRecord['id'][] | null>(null);
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);

  const stored = query.data?.pages.flatMap((page) => page.items) ?? [];
  const rules = moved ? moved.flatMap((id) => stored.find((each) => each.id === id) ?? []) : stored;

  const move = async (from: number, to: number) => {
    const rev = query.data?.pages[0]?.rulesRev;
    if (
      moved !== null ||
      hasNextPage ||
      rev === null ||
      rev === undefined ||
      to < 0 ||
      to >= rules.length ||
      from === to
    )
      return;
    const ids = rules.map((each) => each.id);
    ids.splice(to, 0, ...ids.splice(from, 1));
    setMoved(ids);
    try {
      await rulesReorder({ body: { workspaceId: workspace.id, ids, rev }, throwOnError: true });
    } catch (fault) {
      sayFault(fault);
    }
    await query.refetch();
    setMoved(null);
  };
  return { query, rules, move, isMoving: moved !== null };
}
