import { useSyncExternalStore } from 'react';
import type { Problem } from '@/api';

/** A question to the person: sign in again, or confirm your identity. Requests that wait share one question. */
export type Question = { kind: 'signIn' | 'stepUp'; factors: string[]; settle: (proved: boolean) => void };

let question: Question | null = null;
let waiting: Promise<boolean> | null = null;
let signedIn = false;
const listeners = new Set<() => void>();
const renewals = new Set<() => void>();

/** After a sign-in a 401 means that the session has ended, and the page is kept. Before it, it means the sign-in page. */
export function markSignedIn(value: boolean): void {
  signedIn = value;
}

/** Resolves to true when the refused request may be sent again. */
export function askForProof(problem: Problem): Promise<boolean> {
  const kind = problem.status === 401 ? 'signIn' : problem.code === 'reauth_required' ? 'stepUp' : null;
  if (kind === null || !signedIn) return Promise.resolve(false);
  waiting ??= new Promise<boolean>((resolve) => {
    const settle = (proved: boolean) => {
      if (question?.settle !== settle) return; // it was settled already
      question = null;
      waiting = null;
      notify();
      resolve(proved);
      if (proved && kind === 'signIn') renewals.forEach((listener) => listener());
    };
    question = { kind, factors: problem.factors ?? [], settle };
    notify();
  });
  return waiting;
}

export function useQuestion(): Question | null {
  return useSyncExternalStore(subscribe, openQuestion);
}

export function openQuestion(): Question | null {
  return question;
}

/** Calls the listener each time the person has signed in again over the page; answers how to stop. */
export function whenSignedInAgain(listener: () => void): () => void {
  renewals.add(listener);
  return () => renewals.delete(listener);
}

function notify(): void {
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
