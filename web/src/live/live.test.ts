import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startLive } from '@/live/live';
import { readStream } from '@/live/stream';

const LONG = 300_000;
const chosen = vi.hoisted(() => ({ notices: false, listeners: new Set<() => void>() }));

vi.mock('@/live/stream', () => ({ readStream: vi.fn() }));
vi.mock('@/live/announce', () => ({
  announcer: () => ({ take: vi.fn(), stop: vi.fn() }),
  wantsNotices: () => chosen.notices,
}));
vi.mock('@/lib/preferences/preferences', () => ({
  onPreferences: (listener: () => void) => {
    chosen.listeners.add(listener);
    return () => chosen.listeners.delete(listener);
  },
}));
vi.mock('@/lib/session/settleSignIn', () => ({ settleSignIn: vi.fn() }));
vi.mock('@/lib/requests/queries', async () => {
  const { QueryClient } = await import('@tanstack/react-query');
  return { queries: new QueryClient() };
});

/** What a tab sends to the others, and the newest one, which receives what they send. */
class Channel {
  static sent: object[] = [];
  static newest: Channel;
  onmessage: (event: { data: object }) => void = () => undefined;
  constructor() {
    Channel.newest = this;
  }
  postMessage(message: object): void {
    Channel.sent.push(message);
  }
  close(): void {
    Channel.sent = [];
  }
}

/** How many streams are read now. */
let streams = 0;
let stop: () => void = () => undefined;

function put(visibilityState: 'visible' | 'hidden'): void {
  Object.assign(document, { visibilityState });
  document.dispatchEvent(new Event('visibilitychange'));
}

function prefer(notices: boolean): void {
  chosen.notices = notices;
  chosen.listeners.forEach((listener) => listener());
}

/** Starts a tab. Its lock is free. */
function start(visibilityState: 'visible' | 'hidden', { hasLocks }: { hasLocks: boolean }): void {
  const request = (_name: string, _options: object, run: () => Promise<void>) => run();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState }));
  vi.stubGlobal('window', { scrollY: 0 });
  vi.stubGlobal('navigator', hasLocks ? { locks: { request } } : {});
  vi.stubGlobal('BroadcastChannel', Channel);
  stop = startLive();
}

beforeEach(() => {
  vi.useFakeTimers();
  chosen.notices = false;
  streams = 0;
  vi.mocked(readStream).mockImplementation((listener, signal) => {
    streams += 1;
    listener.connection({ state: 'live', since: 0 });
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        streams -= 1;
        resolve();
      });
    });
  });
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a tab with locks', () => {
  it('closes the stream after five hidden minutes, and follows the notification choice of another tab', () => {
    start('visible', { hasLocks: true });
    prefer(true);
    put('hidden');
    vi.advanceTimersByTime(LONG);
    expect(streams).toBe(1);
    prefer(false);
    expect(streams).toBe(0);
    prefer(true);
    expect(streams).toBe(1);
  });

  it('keeps the stream for five minutes with every choice', () => {
    start('visible', { hasLocks: true });
    put('hidden');
    prefer(true);
    prefer(false);
    expect(streams).toBe(1);
    vi.advanceTimersByTime(LONG);
    expect(streams).toBe(0);
    put('visible');
    expect(streams).toBe(1);
  });

  it('closes the stream also when it was opened in the background', () => {
    start('hidden', { hasLocks: true });
    expect(streams).toBe(1);
    vi.advanceTimersByTime(LONG);
    expect(streams).toBe(0);
  });
});

describe('a tab without locks', () => {
  it('reads a stream only while it is visible, and shares it with no other tab', () => {
    start('hidden', { hasLocks: false });
    expect(streams).toBe(0);
    put('visible');
    expect(streams).toBe(1);
    expect(Channel.sent).toEqual([{ began: true }]);
    put('hidden');
    expect(streams).toBe(0);
  });

  it('keeps the stream for a person with notifications, until another tab reads one', () => {
    start('visible', { hasLocks: false });
    prefer(true);
    put('hidden');
    expect(streams).toBe(1);
    Channel.newest.onmessage({ data: { began: true } });
    expect(streams).toBe(0);
  });

  it('keeps the stream of a page that is visible next to another one', () => {
    start('visible', { hasLocks: false });
    Channel.newest.onmessage({ data: { began: true } });
    expect(streams).toBe(1);
  });
});
