import type { FlipRecord } from '@/api';
import { CAUSES, type Status } from '@/parts/heartbeats/words';

/** A change of status, with the time of the next one. */
export type Lasting = FlipRecord & { until: string | null };

/**
 * The changes, newest first, each with its end. Without the late ones, `up, late, up` is no change, and `up, late, down`
 * is one from up to down.
 */
export function withDurations(newestFirst: readonly FlipRecord[], withLate: boolean): Lasting[] {
  const rows: FlipRecord[] = [];
  let from: Status | null = null;
  for (const flip of newestFirst.toReversed()) {
    const start: Status = from ?? flip.from;
    from = null;
    if (!withLate && flip.to === 'late') from = start;
    else if (start !== flip.to) rows.unshift({ ...flip, from: start });
  }
  return rows.map((row, index) => ({ ...row, until: rows[index - 1]?.at ?? null }));
}

/** The cause in words. A monitor that becomes late has missed its expected time, not its deadline. */
export function causeText({ to, cause }: FlipRecord): string {
  return to === 'late' && cause === 'missed' ? 'The expected time has passed' : CAUSES[cause];
}
