import type { AlertRecord } from '@/api';

/** A sender that waits, groups or retries reports a new problem within this time. */
const NEWS = 5 * 60_000;

/** The sender's time of the beginning, if it is well before the first event; else null. */
export function beginning({ beganAt, firstSeenAt }: Pick<AlertRecord, 'beganAt' | 'firstSeenAt'>): string | null {
  return beganAt !== null && Date.parse(firstSeenAt) - Date.parse(beganAt) > NEWS ? beganAt : null;
}
