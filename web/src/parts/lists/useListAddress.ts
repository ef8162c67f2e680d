import { useSearchParams } from 'wouter';

export type Sorting = { name: string; order: 'asc' | 'desc'; sortBy: (name: string) => void };

/** The words and the order of a list, which stand in the address: `?q=pay&sort=-created`. Names ascend first, times descend. */
export function useListAddress<Sort extends string>(first: Sort, ...others: Sort[]) {
  const [params, setParams] = useSearchParams();
  const text = params.get('sort') ?? '';
  const asked = text.replace(/^-/, '');
  const name = [first, ...others].find((each) => each === asked) ?? first;
  const order: 'asc' | 'desc' = name === asked && text.startsWith('-') ? 'desc' : 'asc';
  const put = (key: string, value: string) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        if (value) next.set(key, value);
        else next.delete(key);
        return next;
      },
      { replace: true },
    );
  const sortBy = (next: string) => {
    const isDescending = next === name ? order === 'asc' : next !== 'name' && next !== 'email';
    put('sort', next === first && !isDescending ? '' : `${isDescending ? '-' : ''}${next}`);
  };
  const words = params.get('q') ?? '';
  return {
    words,
    search: (next: string) => put('q', next.trim()),
    sorting: { name, order, sortBy } satisfies Sorting,
    /** The parameters of the list. */
    query: { sort: name, order, ...(words ? { q: words } : {}) },
  };
}
