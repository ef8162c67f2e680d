import { isProblem, message } from '@/lib/requests/problems';

const UNDO_SECONDS = 8;

/** A message at the edge of the page; `undo` reverts what it tells of. */
export type Toast = { id: number; text: string; isFault: boolean; seconds: number; undo?: () => void };

let shown: Toast | null = null;
let count = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** The act that `z` reverts; the newest one. */
let lastUndo: (() => void) | null = null;

export function shownToast(): Toast | null {
  return shown;
}

export function followToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function replace(toast: Toast | null): void {
  clearTimeout(timer);
  shown = toast;
  listeners.forEach((each) => each());
}

export function dismissToast(): void {
  replace(null);
}

/** The message stays while the pointer is on it. One that offers to undo does not: the offer expires. */
export function holdToast(): void {
  if (!shown?.undo) clearTimeout(timer);
}

export function releaseToast(): void {
  if (shown && !shown.undo) closeIn(shown.seconds);
}

function closeIn(seconds: number): void {
  clearTimeout(timer);
  timer = setTimeout(dismissToast, seconds * 1000);
}

/** Shows a message in place of the one before: one at a time, so that they hide little of the page. */
function show(toast: Omit<Toast, 'id'>): number {
  count += 1;
  replace({ ...toast, id: count });
  closeIn(toast.seconds);
  return count;
}

export function say(text: string): void {
  show({ text, isFault: false, seconds: 4 });
}

/** The finished act, with an undo button. Both disappear in time: the undo expires. */
export function sayWithUndo(text: string, undo: () => void): void {
  const run = () => {
    if (shown?.id === id) dismissToast();
    if (lastUndo === run) lastUndo = null;
    undo();
  };
  lastUndo = run;
  setTimeout(() => {
    if (lastUndo === run) lastUndo = null;
  }, UNDO_SECONDS * 1000);
  const id = show({ text, isFault: false, seconds: UNDO_SECONDS, undo: run });
}

export function undoLast(): void {
  if (lastUndo) lastUndo();
  else say('Nothing to undo.');
}

export function sayFault(fault: unknown): void {
  const request = isProblem(fault) && fault.status >= 500 ? ` Request ${fault.requestId}.` : '';
  show({ text: message(fault) + request, isFault: true, seconds: 8 });
}
