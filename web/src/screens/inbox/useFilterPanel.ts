import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { ownName } from '@/lib/navigation/base';

const KEY = ownName('inbox-filters');

export type FilterPanel = ReturnType<typeof useFilterPanel>;

/** The panel of facets: beside the list where there is room, and this browser remembers it; elsewhere a drawer. */
export function useFilterPanel() {
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const [isShown, setShown] = useState(() => localStorage.getItem(KEY) !== 'hidden');
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const toggle = () => {
    if (!isWide) return setDrawerOpen(!isDrawerOpen);
    localStorage.setItem(KEY, isShown ? 'hidden' : 'shown');
    setShown(!isShown);
  };
  return {
    isBeside: isWide && isShown,
    isDrawer: !isWide && isDrawerOpen,
    isOpen: isWide ? isShown : isDrawerOpen,
    toggle,
    close: () => setDrawerOpen(false),
  };
}
