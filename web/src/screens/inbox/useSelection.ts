import { useCallback, useRef, useState } from 'react';

/** Which rows are selected, by id; with Shift everything from the last one that was clicked. */
export function useSelection(ids: readonly string[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  // `toggle` stays the same function, else each further page would render all rows before it again.
  const latest = useRef(ids);
  latest.current = ids;
  const toggle = useCallback((id: string, range = false) => {
    const all = latest.current;
    const [from, to] = [all.indexOf(last.current ?? id), all.indexOf(id)];
    last.current = id;
    setSelected((old) => {
      const next = new Set(old);
      if (range && from >= 0 && to >= 0)
        all.slice(Math.min(from, to), Math.max(from, to) + 1).forEach((each) => next.add(each));
      else if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const clear = useCallback(() => setSelected(new Set()), []);
  return { selected, toggle, clear };
}
