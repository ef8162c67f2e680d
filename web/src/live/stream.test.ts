import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Connection, readStream } from '@/live/stream';
import type { Reference } from '@/live/table';

type Answers = { stream: () => Promise<Response>; info: () => Promise<Response> };

const REFUSED = () => Promise.resolve(new Response('{}', { status: 429, headers: { 'Retry-After': '30' } }));
const LOST = () => Promise.reject(new TypeError('Failed to fetch'));
const GOOD = () => Promise.resolve(new Response('{}'));

/** The changes that the page receives during so many attempts. */
async function observed(answers: Answers, attempts: number): Promise<{ states: string[]; references: Reference[] }> {
  vi.stubGlobal('fetch', (request: string | { url: string }) =>
    request === '/v1/info' ? answers.info() : answers.stream(),
  );
  const stopped = new AbortController();
  const states: Connection['state'][] = [];
  const references: Reference[] = [];
  const reading = readStream(
    {
      reference: (reference) => references.push(reference),
      connection: ({ state }) => {
        states.push(state);
        if (states.length === attempts) setTimeout(() => stopped.abort(), 1);
      },
    },
    stopped.signal,
  );
  await vi.advanceTimersByTimeAsync(200_000);
  await reading;
  return { states, references };
}

describe('a stream that cannot be opened', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('window', new EventTarget());
    vi.stubGlobal(
      'Request',
      class {
        url: string;
        constructor(url: string) {
          this.url = url;
        }
      },
    );
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('is replaced by polling when the service refuses it', async () => {
    const { states, references } = await observed({ stream: REFUSED, info: LOST }, 2);
    expect(states).toEqual(['polling', 'polling']);
    expect(references).toEqual([{ type: 'resync' }, { type: 'resync' }]);
  });

  it('is replaced by polling when only the stream is lost', async () => {
    const { states } = await observed({ stream: LOST, info: GOOD }, 3);
    expect(states).toEqual(['reconnecting', 'polling', 'polling']);
  });

  it('means no connection when nothing answers', async () => {
    const { states, references } = await observed({ stream: LOST, info: LOST }, 3);
    expect(states).toEqual(['reconnecting', 'reconnecting', 'reconnecting']);
    expect(references).toEqual([]);
  });
});
