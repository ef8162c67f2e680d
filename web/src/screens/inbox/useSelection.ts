import { useCallback, useState } from 'react';

/** Which rows are selected, by id; with Shift everything from the last one that was clicked. */
export function useSelection(ids: readonly string[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const toggle = useCallback(
    (id: string, range = false) => {
      setSelected((old) => {
        const next = new Set(old);
        const [from, to] = [ids.indexOf(last ?? id), ids.indexOf(id)];
        if (range && from >= 0 && to >= 0)
          ids.slice(Math.min(from, to), Math.max(from, to) + 1).forEach((each) => next.add(each));
        else if (!next.delete(id)) next.add(id);
        return next;
      });
      setLast(id);
    },
    [ids, last],
  );
  const clear = useCallback(() => setSelected(new Set()), []);
  return { selected, toggle, clear };
}
