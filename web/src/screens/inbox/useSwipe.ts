import { useEffect, useRef, type RefObject } from 'react';

const FAR = 96;
const SLOP = 12;

type Swipes = { right?: () => void; left?: () => void };

/**
 * A finger that moves a row far enough to the right or the left acts. The same acts have buttons: select the row.
 * A swipe that the browser ends, or that a second finger joins, does nothing. Vertical movement scrolls, and a mouse or a pen
 * does nothing here.
 */
export function useSwipe<Row extends HTMLElement>(swipes: Swipes): RefObject<Row | null> {
  const row = useRef<Row>(null);
  const latest = useRef(swipes);
  latest.current = swipes;
  useEffect(() => {
    if (row.current !== null) return listenToSwipes(row.current, () => latest.current);
  }, []);
  return row;
}

/** Moves the element with the finger, and acts when the finger leaves it far enough away. Answers how to stop. */
export function listenToSwipes(element: HTMLElement, swipes: () => Swipes): () => void {
  let from: { x: number; y: number } | null = null;
  let by = 0;
  const put = (next: number) => {
    by = next;
    element.style.transform = next === 0 ? '' : `translateX(${next}px)`;
    element.dataset.swipe = next === 0 ? '' : next > 0 ? 'right' : 'left';
    element.dataset.far = String(Math.abs(next) >= FAR);
  };
  const cancel = () => {
    from = null;
    put(0);
  };
  const start = ({ touches }: TouchEvent) => {
    const [touch] = touches;
    if (touches.length === 1 && touch) from = { x: touch.clientX, y: touch.clientY };
    else cancel(); // a second finger
  };
  const move = (event: TouchEvent) => {
    const [touch] = event.touches;
    if (from === null || !touch) return;
    const [x, y] = [touch.clientX - from.x, touch.clientY - from.y];
    if (by === 0 && Math.abs(y) > SLOP) from = null;
    else if (Math.abs(x) > SLOP || by !== 0) {
      const possible = x > 0 ? swipes().right : swipes().left;
      if (possible) event.preventDefault();
      put(possible ? x : 0);
    }
  };
  const end = () => {
    const act = Math.abs(by) < FAR ? undefined : by > 0 ? swipes().right : swipes().left;
    cancel();
    act?.();
  };
  element.addEventListener('touchstart', start, { passive: true });
  element.addEventListener('touchmove', move, { passive: false });
  element.addEventListener('touchend', end);
  element.addEventListener('touchcancel', cancel);
  return () => {
    element.removeEventListener('touchstart', start);
    element.removeEventListener('touchmove', move);
    element.removeEventListener('touchend', end);
    element.removeEventListener('touchcancel', cancel);
  };
}
