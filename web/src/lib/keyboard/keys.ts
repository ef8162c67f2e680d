import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { preferences } from '@/lib/preferences/preferences';

/** A key, or two keys one after the other (`g i`), with what it does. */
export type KeyAct = { keys: string; label: string; run: () => void };
export type KeyGroup = { title: string; acts: KeyAct[] };

const SEQUENCE = 1200;
let groups: KeyGroup[] = [];
let pending = '';
let pendingUntil = 0;
const listeners = new Set<() => void>();

/** Keys that count while the component is mounted. Later components come first. */
export function useKeys(title: string, acts: KeyAct[], enabled = true): void {
  const latest = useRef(acts);
  latest.current = acts;
  const shape = acts.map((act) => `${act.keys} ${act.label}`).join('\n');
  // A layout effect runs before the screen is painted: a key that is pressed as soon as the screen appears counts.
  useLayoutEffect(() => {
    if (!enabled) return;
    const run = (keys: string) => latest.current.find((act) => act.keys === keys)?.run();
    const group = { title, acts: latest.current.map((act) => ({ ...act, run: () => run(act.keys) })) };
    groups = [group, ...groups];
    notify();
    return () => {
      groups = groups.filter((each) => each !== group);
      notify();
    };
  }, [title, shape, enabled]);
}

/** The keys that are active now, for the help. */
export function useKeyGroups(): KeyGroup[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => groups,
  );
}

/** Starts to listen. Keys in fields, in dialogs and with a modifier are left alone. A box that is ticked is no such field. */
export function listenToKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (!counts(event)) return;
    const now = Date.now();
    const sequence = pending && now < pendingUntil ? `${pending} ${event.key}` : event.key;
    const acts = groups.flatMap((group) => group.acts);
    const act = acts.find((each) => each.keys === sequence);
    pending = '';
    if (act) {
      event.preventDefault();
      act.run();
    } else if (acts.some((each) => each.keys.startsWith(`${event.key} `))) {
      pending = event.key;
      pendingUntil = now + SEQUENCE;
      event.preventDefault();
    }
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

const CONTROLS =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], ' +
  '[role="menu"], [role="listbox"], [role="dialog"], [role="slider"]';

function counts(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat)
    return false;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(CONTROLS)) return false;
  if (event.key === 'Enter' && target?.closest('a, button')) return false;
  return preferences().shortcuts || event.key === 'Escape';
}

function notify(): void {
  listeners.forEach((listener) => listener());
}
