import { useSyncExternalStore } from 'react';
import { meRead } from '@/api';
import { ownName } from '@/lib/navigation/base';
import { onPreferences } from '@/lib/preferences/preferences';
import { queries } from '@/lib/requests/queries';
import { openQuestion, type Question, whenSignedInAgain } from '@/lib/session/proof';
import { settleSignIn } from '@/lib/session/settleSignIn';
import { announcer, wantsNotices } from '@/live/announce';
import { Refetcher } from '@/live/refetch';
import { type Connection, readStream } from '@/live/stream';
import type { Reference } from '@/live/table';

const HIDDEN_FOR = 300_000;
const NAME = ownName('inbox-live');

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
  return new LiveTab().start();
}

/** The role of this tab: it reads the stream, or it listens to the tab that does. */
class LiveTab {
  private readonly refetcher = new Refetcher(queries);
  private readonly incidents = announcer();
  private readonly channel = new BroadcastChannel(NAME);
  private readonly hasLocks = 'locks' in navigator;
  private leads = false;
  private term: AbortController | null = null;
  private isLongHidden = false;
  private hiding: ReturnType<typeof setTimeout> | undefined;

  start(): () => void {
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.take(data);
    const onVisibility = () => this.onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    const stopPreferences = onPreferences(() => this.settleHidden());
    const stopRenewals = whenSignedInAgain(() => {
      if (answering === null) this.publish({ signedIn: true });
      else this.restart(); // the tab of the sign-in has published it
    });
    this.begin();
    if (!isVisible()) onVisibility();
    return () => {
      stopRenewals();
      stopPreferences();
      document.removeEventListener('visibilitychange', onVisibility);
      this.stop();
    };
  }

  private take(message: Message): void {
    if ('reference' in message) {
      this.refetcher.take(message.reference);
      referenceListeners.forEach((listener) => listener(message.reference));
    } else if ('connection' in message) {
      setConnection(message.connection);
      if (message.connection.state === 'ended') void askToSignIn();
      if (message.connection.state === 'live') {
        void answerSignIn();
        if (isWanted()) this.begin();
      }
    } else if ('signedIn' in message) {
      if (openQuestion()?.kind === 'signIn') void answerSignIn();
      else this.restart();
    } else if ('began' in message) {
      if (!isVisible()) this.end();
    } else if (this.leads && this.hasLocks) this.channel.postMessage({ connection } satisfies Message);
  }

  private publish(message: Message): void {
    this.take(message);
    if (this.hasLocks || !('connection' in message)) this.channel.postMessage(message);
  }

  private async lead(signal: AbortSignal): Promise<void> {
    this.leads = true;
    await readStream(
      {
        reference: (reference) => {
          this.publish({ reference });
          this.incidents.take(reference);
        },
        connection: (next) => this.publish({ connection: next }),
      },
      signal,
    );
    if (signal.aborted) return;
    this.leads = false; // the session has ended: this tab asks for the lock again when another one is live
    this.term = null;
  }

  private begin(): void {
    if (this.term !== null || !(this.hasLocks || isVisible())) return;
    this.term = new AbortController();
    const { signal } = this.term;
    if (this.hasLocks) navigator.locks.request(NAME, { signal }, () => this.lead(signal)).catch(() => undefined);
    else void this.lead(signal);
    this.channel.postMessage((this.hasLocks ? { hello: true } : { began: true }) satisfies Message);
  }

  private end(): void {
    this.term?.abort();
    this.term = null;
    this.leads = false;
  }

  private restart(): void {
    if (this.term === null && !isWanted()) return;
    this.end();
    setConnection({ state: 'connecting', since: Date.now() });
    this.begin();
    this.refetcher.take({ type: 'resync' });
  }

  private settleHidden(): void {
    if (isVisible()) return;
    if (wantsNotices()) this.begin();
    else if (this.isLongHidden) this.end();
  }

  private onHidden(): void {
    this.isLongHidden = true;
    this.settleHidden();
    if (!this.hasLocks && this.term !== null) this.channel.postMessage({ began: true } satisfies Message);
  }

  private onVisibility(): void {
    clearTimeout(this.hiding);
    this.isLongHidden = false;
    if (!isVisible()) {
      if (this.hasLocks) this.hiding = setTimeout(() => this.onHidden(), HIDDEN_FOR);
      else this.onHidden();
    } else {
      const wasAway = this.term === null;
      this.begin();
      if (wasAway) this.refetcher.take({ type: 'resync' });
    }
  }

  private stop(): void {
    clearTimeout(this.hiding);
    this.end();
    this.refetcher.stop();
    this.incidents.stop();
    this.channel.close();
    setConnection({ state: 'connecting', since: Date.now() });
  }
}

function isWanted(): boolean {
  return isVisible() || wantsNotices();
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
