import { useEffect, useEffectEvent } from 'react';
import type { AroundNavHandler } from 'wouter';

/** Is asked before the page is left, and goes on by `leave`. */
type Ask = (leave: () => void) => void;

let ask: Ask | null = null;
/** The address of the page with unsaved work. */
let here = '';

/** Listens to the browser going back. It must hear of that before the router, which shows the other page at once. */
export function guardBack(): void {
  window.addEventListener('popstate', stay);
}

/** Around every navigation: while work is unsaved, another page waits for the person's answer. */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const leave = () => navigate(to, options);
  if (ask !== null && new URL(to, location.origin).pathname !== location.pathname) return ask(leave);
  leave();
  here = location.href;
};

/** Leaves without a question, where the person chose that by a button. */
export function giveUp(): void {
  ask = null;
}

/** Asks before the page is left while `isUnsaved`. The browser asks when the tab is closed or reloaded. */
export function useLeaveGuard(isUnsaved: boolean, onLeave: Ask): void {
  const onAsk = useEffectEvent(onLeave);
  useEffect(() => {
    if (!isUnsaved) return;
    const own: Ask = (leave) => onAsk(leave);
    const keep = (event: BeforeUnloadEvent) => event.preventDefault();
    ask = own;
    here = location.href;
    window.addEventListener('beforeunload', keep);
    return () => {
      if (ask === own) ask = null;
      window.removeEventListener('beforeunload', keep);
    };
  }, [isUnsaved]);
}

/** The browser went back before anybody could ask: the page returns, and goes back again after the answer. */
function stay(event: PopStateEvent): void {
  if (ask === null || new URL(here).pathname === location.pathname) return;
  event.stopImmediatePropagation();
  history.pushState(history.state, '', here);
  ask(() => {
    giveUp();
    history.back();
  });
}
