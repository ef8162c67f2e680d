import { useLayoutEffect, useState } from 'react';

const MARGIN = 16;

/** A ref for a row of tabs that scrolls sideways on a phone: the current tab, which `current` names, is in sight. */
export function useCurrentInView(current: string): (list: HTMLElement | null) => void {
  const [list, setList] = useState<HTMLElement | null>(null);
  useLayoutEffect(() => {
    if (list) showCurrent(list);
  }, [list, current]);
  return setList;
}

function showCurrent(list: HTMLElement): void {
  const tab = list.querySelector('[aria-current=page], [aria-selected=true]')?.getBoundingClientRect();
  if (!tab) return;
  // `scrollIntoView` would move the page as well.
  const { left, right } = list.getBoundingClientRect();
  if (tab.right > right) list.scrollLeft += tab.right - right + MARGIN;
  if (tab.left < left) list.scrollLeft -= left - tab.left + MARGIN;
}
