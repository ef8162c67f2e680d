import { isConflict } from '@/lib/requests/problems';

type Stored = { rev: number };
type Calls<Record extends Stored, Change> = {
  /** Sends the change, for this revision alone. */
  send: (change: Change, rev: number) => Promise<Record>;
  /** Reads the record as it is now. */
  read: () => Promise<Record>;
};

/** The result of a change: the record with it, or the newer record after a conflicting change. */
export type Outcome<Record> = { saved: Record; newer?: undefined } | { newer: Record; saved?: undefined };

/**
 * Changes fields of a record that was read as `base`.
 *
 * 1. The change is for the revision of `base`. Without a change by somebody else it is saved.
 * 2. Where somebody else changed other fields, or made the same change, it is sent again. Both changes stay.
 * 3. Where somebody else changed the same fields nothing is saved, and the newer record is the answer.
 */
export async function changeFields<Record extends Stored, Change extends object>(
  base: Record,
  change: Change,
  { send, read }: Calls<Record, Change>,
): Promise<Outcome<Record>> {
  try {
    return { saved: await send(change, base.rev) };
  } catch (fault) {
    if (!isConflict(fault)) throw fault;
  }
  const newer = await read();
  const isFree = Object.entries(change).every(([name, value]) => {
    const now = newer[name as keyof Record];
    return isSame(now, base[name as keyof Record]) || isSame(now, value);
  });
  return isFree ? { saved: await send(change, newer.rev) } : { newer };
}

const MOST_ATTEMPTS = 5;

/** Repeats an attempt, which reads a record and writes it, while somebody else writes in between: at most five times. */
export async function untilSaved(attempt: () => Promise<unknown>): Promise<void> {
  for (let left = MOST_ATTEMPTS - 1; ; left -= 1) {
    try {
      await attempt();
      return;
    } catch (fault) {
      if (left === 0 || !isConflict(fault)) throw fault;
    }
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
