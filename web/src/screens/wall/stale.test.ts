import { describe, expect, it } from 'vitest';
import { isStale } from '@/screens/wall/stale';

const NOW = 10_000_000;
const live = { state: 'live', since: 0 } as const;
const lost = (seconds: number) => ({ state: 'reconnecting', since: NOW - seconds * 1000 }) as const;
const read = (seconds: number) => NOW - seconds * 1000;

describe('a wall display', () => {
  it.each([
    ['was read just now', read(1), live, false],
    ['was not read for less than two minutes', read(119), live, false],
    ['was not read for two minutes', read(120), live, true],
    ['has no connection for less than a minute', read(59), lost(59), false],
    ['has no connection for a minute', read(60), lost(60), true],
    ['has no stream and is read all the same', read(10), lost(600), false],
    ['was never read', 0, lost(600), false],
  ])('that %s', (_, readAt, connection, expected) => {
    expect(isStale({ now: NOW, readAt, connection })).toBe(expected);
  });
});
