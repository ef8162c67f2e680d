import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { rulesReorder, type RuleRecord } from '@/api';
import { rulesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { isProblem } from '@/lib/requests/problems';
import { useAllPages } from '@/lib/requests/useAllPages';
import { useWorkspace } from '@/lib/session/workspace';
import { sayFault } from '@/parts/toast';
import { type Move, moveOf, ordered } from '@/screens/rules/order';

/** What the service answers when rules were moved, created or deleted since the order was read. */
const STALE = ['rev_mismatch', 'conflict', 'validation_failed'];

/**
 * All rules in their order.
 *
 * 1. A move is shown at once. Moves that follow quickly are stored together when the one before is stored.
 * 2. Moves that are refused because others changed the order are `refused`: the newer order is shown, and the person
 *    can `retry` or `drop` them.
 * 3. Another fault is shown, and the stored order again.
 */
export function useRules() {
  const { workspace } = useWorkspace();
  const query = useInfiniteQuery({
    ...rulesListInfiniteOptions({ query: { workspaceId: workspace.id, limit: 100 } }),
    ...pages,
  });
  const [moves, setMoves] = useState<readonly Move[]>([]);
  const [refused, setRefused] = useState<readonly Move[]>([]);
  // The moves beside the state, and the newest answer: a save that runs reads both.
  const unsaved = useRef(moves);
  const isSaving = useRef(false);
  const latest = useRef(query.data);
  latest.current = query.data;
  useAllPages(query);

  const stored = query.data?.pages.flatMap((page) => page.items) ?? [];
  const rules = ordered(idsOf(stored), moves).flatMap((id) => stored.find((each) => each.id === id) ?? []);
  const isOrdered = !query.hasNextPage && typeof query.data?.pages[0]?.rulesRev === 'number';

  const put = (next: readonly Move[]) => {
    unsaved.current = next;
    setMoves(next);
  };
  const reread = async () => {
    const { data } = await query.refetch();
    latest.current = data ?? latest.current;
  };
  const save = async () => {
    if (isSaving.current) return;
    isSaving.current = true;
    while (unsaved.current.length > 0) {
      const sent = unsaved.current;
      const ids = idsOf(latest.current?.pages.flatMap((page) => page.items) ?? []);
      const rev = latest.current?.pages[0]?.rulesRev ?? 0;
      try {
        await rulesReorder({ body: { workspaceId: workspace.id, ids: ordered(ids, sent), rev }, throwOnError: true });
        await reread();
        put(unsaved.current.slice(sent.length));
      } catch (fault) {
        await reread();
        if (isProblem(fault) && STALE.includes(fault.code)) setRefused(unsaved.current);
        else sayFault(fault);
        put([]);
      }
    }
    isSaving.current = false;
  };
  const add = (more: readonly Move[]) => {
    setRefused([]);
    put([...unsaved.current, ...more]);
    void save();
  };
  /** Answers whether the rule moves. */
  const move = (from: number, to: number): boolean => {
    const found = isOrdered ? moveOf(idsOf(rules), from, to) : null;
    if (found) add([found]);
    return found !== null;
  };
  return {
    query,
    rules,
    move,
    isMoving: moves.length > 0,
    refused,
    retry: () => add(refused),
    drop: () => setRefused([]),
  };
}

function idsOf(rules: readonly RuleRecord[]): RuleRecord['id'][] {
  return rules.map(({ id }) => id);
}
