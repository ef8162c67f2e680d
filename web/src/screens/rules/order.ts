import type { RuleRecord } from '@/api';

type Id = RuleRecord['id'];

/** A rule that a person moved past another one, and on which side of it the rule stands then. */
export type Move = { id: Id; side: 'above' | 'below'; of: Id };

/** The move of the rule at one place of the order to another place; null where nothing moves. */
export function moveOf(ids: readonly Id[], from: number, to: number): Move | null {
  const [id, of] = [ids[from], ids[to]];
  if (id === undefined || of === undefined || from === to) return null;
  return { id, side: to < from ? 'above' : 'below', of };
}

/** The order after these moves. A move of a rule that is gone, or past one that is gone, has no effect. */
export function ordered(ids: readonly Id[], moves: readonly Move[]): Id[] {
  return moves.reduce<Id[]>(
    (order, { id, side, of }) => {
      if (!order.includes(id) || !order.includes(of)) return order;
      const others = order.filter((each) => each !== id);
      const at = others.indexOf(of) + (side === 'above' ? 0 : 1);
      return [...others.slice(0, at), id, ...others.slice(at)];
    },
    [...ids],
  );
}
