import { useCallback, useRef, useState, type RefObject } from 'react';
import type { RowListHandle } from '@/screens/inbox/RowList';

/**
 * The row that keys act on.
 * It is kept beside the state: of two quick keys the second acts on the row that the first one chose, although that
 * row is not rendered or focused yet.
 */
export function useCursor(ids: readonly string[], list: RefObject<RowListHandle | null>) {
  const [focused, setFocused] = useState<string | null>(null);
  const chosen = useRef(focused);
  const put = useCallback((id: string) => {
    chosen.current = id;
    setFocused(id);
  }, []);
  const move = (by: number) => {
    const at = chosen.current === null ? (by > 0 ? -1 : 0) : ids.indexOf(chosen.current);
    const id = ids[Math.min(Math.max(at + by, 0), ids.length - 1)];
    if (!id) return;
    put(id);
    list.current?.focus(id);
  };
  return { focused, put, move, current: () => chosen.current };
}
