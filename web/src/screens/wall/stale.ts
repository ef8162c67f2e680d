import type { Connection } from '@/live/stream';

const MINUTE = 60_000;

/**
 * Whether a wall display may be wrong: nothing was read for two minutes although it reads every minute, or the connection
 * has been lost for a minute and nothing was read since.
 */
export function isStale({ now, readAt, connection }: { now: number; readAt: number; connection: Connection }): boolean {
  if (readAt === 0) return false;
  const age = now - readAt;
  const isLost = connection.state === 'reconnecting' && now - connection.since >= MINUTE;
  return age >= 2 * MINUTE || (isLost && age >= MINUTE);
}
