import { useCallback, useRef, useState, type RefObject } from 'react';
import type { RowListHandle } from '@/screens/inbox/RowList';

/** The row that was chosen last: a person who comes back from an incident goes on there. */
let last: string | null = null;

/**
 * The row that keys act on.
 * It is kept beside the state: of two quick keys the second acts on the row that the first one chose, although that
 * row is not rendered or focused yet.
 */
export function useCursor(ids: readonly string[], list: RefObject<RowListHandle | null>) {
  const [focused, setFocused] = useState<string | null>(() => last);
  const chosen = useRef(focused);
  const put = useCallback((id: string) => {
    chosen.current = id;
    last = id;
    setFocused(id);
  }, []);
  const move = (by: number) => {
    const known = chosen.current === null ? -1 : ids.indexOf(chosen.current);
    const at = known < 0 && by < 0 ? 0 : known;
    const id = ids[Math.min(Math.max(at + by, 0), ids.length - 1)];
    if (!id) return;
    put(id);
    list.current?.focus(id);
  };
  return { focused, put, move, current: () => chosen.current };
}
