import { useEffect, useState } from 'react';

/** False in the first render: dialogs and menus remember where the focus was only when they open after their mounting. */
export function useMounted(): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return isMounted;
}
