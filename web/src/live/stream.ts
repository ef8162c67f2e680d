import { fetchAsDevice } from '@/lib/device/tokens';
import { below } from '@/lib/navigation/base';
import { auth } from '@/lib/session/identity';
import type { Reference } from '@/live/table';

/**
 * The state of the connection, as a person sees it. `since` is when it was lost.
 * `polling`: the service answers but the stream does not come. The pages are read again after each attempt.
 */
export type Connection = { state: 'connecting' | 'live' | 'polling' | 'reconnecting' | 'ended'; since: number };

export type StreamListener = {
  reference: (reference: Reference) => void;
  connection: (connection: Connection) => void;
};

const SILENT = 40_000;
const LONGEST = 30_000;
const PROBE = 5000;
const SILENCE = new Error('no byte came');

/**
 * Reads the change stream until it is aborted. `fetch` is used because `EventSource` hides the status of a refusal.
 *
 * 1. Connect; each line is given to the listener. The first line is a resync, so nothing is missed.
 * 2. Without a byte for a minute (pings come every 25 seconds) the connection counts as lost.
 * 3. After a loss wait longer each time, at random, or as long as `Retry-After` says. Coming online ends the wait.
 * 4. Where the stream is refused, or does not come although the service answers, a resync after each attempt reads the pages.
 * 5. After a 401 stop: the session has ended.
 */
export async function readStream(listener: StreamListener, stopped: AbortSignal): Promise<void> {
  let failures = 0;
  let lostAt = 0;
  while (!stopped.aborted) {
    let answer: Response | null = null;
    let loss: unknown = null;
    try {
      answer = await connect(listener, stopped, () => {
        failures = 0;
        lostAt = 0;
      });
      if (answer?.status === 401) {
        listener.connection({ state: 'ended', since: Date.now() });
        return;
      }
    } catch (fault) {
      loss = fault;
    }
    failures += 1;
    // A restart of the service is over in a moment: one loss alone is no reason to ask.
    const isDoubtful = loss === SILENCE || (loss !== null && failures > 1);
    const doesAnswer = (answer !== null && answer.status < 500) || (isDoubtful && (await isReachable(stopped)));
    if (stopped.aborted) return;
    lostAt ||= Date.now();
    listener.connection({ state: doesAnswer ? 'polling' : 'reconnecting', since: lostAt });
    if (doesAnswer) listener.reference({ type: 'resync' });
    const wait = Number(answer?.headers.get('Retry-After') ?? 0) * 1000;
    await pause(Math.max(wait, Math.min(LONGEST, 500 * 2 ** failures) * (0.5 + Math.random() / 2)), stopped);
  }
}

async function connect(listener: StreamListener, stopped: AbortSignal, onLive: () => void): Promise<Response | null> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(SILENCE), SILENT);
  const signal = AbortSignal.any([stopped, silence.signal]);
  try {
    const request = new Request(below('/v1/stream'), {
      signal,
      headers: { Accept: 'text/event-stream' },
      cache: 'no-store',
    });
    const answer = await (auth().kind === 'device' ? fetchAsDevice(request) : fetch(request));
    if (!answer.ok || answer.body === null) return answer;
    onLive();
    listener.connection({ state: 'live', since: Date.now() });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return null;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(SILENCE), SILENT);
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      lines
        .filter((line) => line.startsWith('data: '))
        .forEach((line) => listener.reference(JSON.parse(line.slice(6)) as Reference));
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Returns whether the service answers at all. */
async function isReachable(stopped: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(PROBE)]);
  try {
    return (await fetch(below('/v1/info'), { signal, credentials: 'omit', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

function pause(milliseconds: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      stopped.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener('online', done);
    stopped.addEventListener('abort', done);
  });
}
