import { useLayoutEffect, useRef, useState } from 'react';

/** Room for the line that says how many more there are, and for the buttons. */
const BELOW = 140;
const LEAST = 3;

/** How many of the rows fit on the screen below the top of the list. A narrow screen scrolls, and shows a dozen. */
export function useFit(rows: number) {
  const list = useRef<HTMLUListElement>(null);
  const [room, setRoom] = useState(12);
  useLayoutEffect(() => {
    const measure = () => {
      const row = list.current?.firstElementChild?.getBoundingClientRect();
      if (!row || !list.current) return;
      const gap = parseFloat(getComputedStyle(list.current).rowGap) || 0;
      const top = row.top + window.scrollY;
      const isNarrow = window.innerWidth < 768;
      setRoom(
        isNarrow ? 12 : Math.max(LEAST, Math.floor((window.innerHeight - top - BELOW + gap) / (row.height + gap))),
      );
    };
    measure();
    window.addEventListener('resize', measure);
    // What is above the list, such as the heartbeats, appears later.
    const watch = new ResizeObserver(measure);
    watch.observe(document.body);
    return () => {
      window.removeEventListener('resize', measure);
      watch.disconnect();
    };
  }, [rows]);
  return { list, fits: Math.min(rows, room) };
}
