import { useSyncExternalStore } from 'react';
import { meRead } from '@/api';
import { onPreferences } from '@/lib/preferences/preferences';
import { queries } from '@/lib/requests/queries';
import { openQuestion, type Question, whenSignedInAgain } from '@/lib/session/proof';
import { settleSignIn } from '@/lib/session/settleSignIn';
import { announcer, wantsNotices } from '@/live/announce';
import { Refetcher } from '@/live/refetch';
import { type Connection, readStream } from '@/live/stream';
import type { Reference } from '@/live/table';

const HIDDEN_FOR = 300_000;
const NAME = 'inbox-live';

type Message =
  | { reference: Reference }
  | { connection: Connection }
  | { hello: true }
  | { signedIn: true }
  /** A tab without locks reads the stream: hidden ones let go of theirs. */
  | { began: true };

let connection: Connection = { state: 'connecting', since: Date.now() };
const connectionListeners = new Set<() => void>();
let answering: Question | null = null;
const referenceListeners = new Set<(reference: Reference) => void>();

/**
 * One stream for all tabs of a browser. The tab that holds the lock reads the stream and passes each reference on; the others
 * listen. A tab that was hidden for five minutes lets go of the lock, and asks for it when it is seen again. It keeps the lock
 * for a person who wants to be notified: the reading tab alone announces new incidents. Another tab may change that choice.
 * Without locks (an address that is neither https nor of this machine) each visible tab has a stream of its own, and at most one
 * hidden tab, for a person who wants to be notified: over HTTP/1.1 six streams would take all connections of the browser.
 * The stream ends with the session. All tabs begin again once the person has signed in again in one of them. A dialog that asks
 * for it in another window closes then.
 */
export function startLive(): () => void {
  const refetcher = new Refetcher(queries);
  const incidents = announcer();
  const channel = new BroadcastChannel(NAME);
  const hasLocks = 'locks' in navigator;
  let leads = false;
  let term: AbortController | null = null;

  const take = (message: Message) => {
    if ('reference' in message) {
      refetcher.take(message.reference);
      referenceListeners.forEach((listener) => listener(message.reference));
    } else if ('connection' in message) {
      setConnection(message.connection);
      if (message.connection.state === 'ended') void askToSignIn();
      if (message.connection.state === 'live') {
        void answerSignIn();
        if (isWanted()) begin();
      }
    } else if ('signedIn' in message) {
      if (openQuestion()?.kind === 'signIn') void answerSignIn();
      else restart();
    } else if ('began' in message) {
      if (!isVisible()) end();
    } else if (leads && hasLocks) channel.postMessage({ connection } satisfies Message);
  };
  const publish = (message: Message) => {
    take(message);
    if (hasLocks || !('connection' in message)) channel.postMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => take(data);

  const lead = async (signal: AbortSignal) => {
    leads = true;
    await readStream(
      {
        reference: (reference) => {
          publish({ reference });
          incidents.take(reference);
        },
        connection: (next) => publish({ connection: next }),
      },
      signal,
    );
    if (signal.aborted) return;
    leads = false; // the session has ended: this tab asks for the lock again when another one is live
    term = null;
  };
  const begin = () => {
    if (term !== null || !(hasLocks || isVisible())) return;
    term = new AbortController();
    const { signal } = term;
    if (hasLocks) navigator.locks.request(NAME, { signal }, () => lead(signal)).catch(() => undefined);
    else void lead(signal);
    channel.postMessage((hasLocks ? { hello: true } : { began: true }) satisfies Message);
  };
  const end = () => {
    term?.abort();
    term = null;
    leads = false;
  };
  const isWanted = () => isVisible() || wantsNotices();
  const restart = () => {
    if (term === null && !isWanted()) return;
    end();
    setConnection({ state: 'connecting', since: Date.now() });
    begin();
    refetcher.take({ type: 'resync' });
  };

  let isLongHidden = false;
  const settleHidden = () => {
    if (isVisible()) return;
    if (wantsNotices()) begin();
    else if (isLongHidden) end();
  };
  const onHidden = () => {
    isLongHidden = true;
    settleHidden();
    if (!hasLocks && term !== null) channel.postMessage({ began: true } satisfies Message);
  };
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(hiding);
    isLongHidden = false;
    if (!isVisible()) {
      if (hasLocks) hiding = setTimeout(onHidden, HIDDEN_FOR);
      else onHidden();
    } else {
      const wasAway = term === null;
      begin();
      if (wasAway) refetcher.take({ type: 'resync' });
    }
  };
  document.addEventListener('visibilitychange', onVisibility);
  const stopPreferences = onPreferences(settleHidden);
  const stopRenewals = whenSignedInAgain(() => {
    if (answering === null) publish({ signedIn: true });
    else restart(); // the tab of the sign-in has published it
  });
  begin();
  if (!isVisible()) onVisibility();
  return () => {
    stopRenewals();
    stopPreferences();
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(hiding);
    end();
    refetcher.stop();
    incidents.stop();
    channel.close();
    setConnection({ state: 'connecting', since: Date.now() });
  };
}

function isVisible(): boolean {
  return document.visibilityState === 'visible';
}

/** Answers the dialog that asks for a sign-in, if it is open, once the person has signed in elsewhere. */
async function answerSignIn(): Promise<void> {
  const question = openQuestion();
  if (question?.kind !== 'signIn' || question === answering) return;
  answering = question;
  await settleSignIn(question, { elsewhere: true }).catch(() => undefined);
  answering = null;
}

/**
 * Reads who is signed in: a 401 opens the sign-in dialog over the page. Where the person is signed in already, all tabs begin
 * again. A hidden page asks when it is seen again.
 */
export async function askToSignIn(): Promise<void> {
  if (!isVisible()) return;
  const answer = await meRead().catch(() => null);
  if (!answer?.data || connection.state !== 'ended') return;
  const channel = new BroadcastChannel(NAME); // one of its own: it reaches the listener of this tab, too
  channel.postMessage({ signedIn: true } satisfies Message);
  channel.close();
}

function setConnection(next: Connection): void {
  connection = next;
  connectionListeners.forEach((listener) => listener());
}

export function useConnection(): Connection {
  return useSyncExternalStore(onConnection, connectionNow);
}

export function connectionNow(): Connection {
  return connection;
}

export function onConnection(listener: () => void): () => void {
  connectionListeners.add(listener);
  return () => connectionListeners.delete(listener);
}

/** Calls the listener for each reference; answers how to stop. For what is more than a refetch, such as counting new rows. */
export function onReference(listener: (reference: Reference) => void): () => void {
  referenceListeners.add(listener);
  return () => referenceListeners.delete(listener);
}
