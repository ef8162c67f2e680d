import type { OnCallLogRecord, OnCallPerson, ShiftRecord } from '@/api';

export type ShownPerson = Omit<OnCallPerson, 'origin'> & {
  /** Null: the log has no reason, and by the present layers and overrides the person was not on call. */
  origin: OnCallPerson['origin'] | null;
};

/** A computed shift, or a period of the log. */
export type ShownShift = Omit<ShiftRecord, 'people'> & { people: ShownPerson[] };

type Reading = { from: number; until: number };

/**
 * The shifts of a period in which who really was on call stands in place of what is computed: the log from `from` until
 * the time at which it was read. Earlier its rows may have been removed, and later there is none.
 */
export function withPast(
  computed: readonly ShiftRecord[],
  log: readonly OnCallLogRecord[],
  { from, until }: Reading,
): ShownShift[] {
  const first = computed[0];
  const last = computed.at(-1);
  if (!first || !last) return [];
  const begins = Math.max(from, time(first.startsAt));
  const ends = Math.min(until, time(last.endsAt));
  if (begins >= ends) return [...computed];
  return joined(
    [
      ...computed.flatMap((each) => cut(each, -Infinity, begins)),
      ...logged(computed, log, begins, ends),
      ...computed.flatMap((each) => cut(each, ends, Infinity)),
    ],
    [iso(begins), iso(ends)],
  );
}

/** The log as periods with the same people, without holes. */
function logged(computed: readonly ShiftRecord[], log: readonly OnCallLogRecord[], from: number, to: number) {
  const endOf = ({ endsAt }: OnCallLogRecord) => (endsAt === null ? Infinity : time(endsAt));
  const bounds = log.flatMap((each) => [time(each.startsAt), endOf(each)]).filter((at) => from < at && at < to);
  const times = [...new Set([from, ...bounds, to])].sort((a, b) => a - b);
  return times.slice(0, -1).map((at, place): ShownShift => {
    const shift = computed.find((each) => time(each.startsAt) <= at && at < time(each.endsAt));
    const people = log.filter((each) => time(each.startsAt) <= at && at < endOf(each));
    return {
      startsAt: iso(at),
      endsAt: iso(times[place + 1]!),
      people: people.map(({ userId, name }) => ({
        userId,
        name,
        origin: shift?.people.find((each) => each.userId === userId)?.origin ?? null,
      })),
    };
  });
}

/** A shift between two times, or nothing. */
function cut(shift: ShiftRecord, from: number, to: number): ShownShift[] {
  const startsAt = Math.max(time(shift.startsAt), from);
  const endsAt = Math.min(time(shift.endsAt), to);
  return startsAt < endsAt ? [{ ...shift, startsAt: iso(startsAt), endsAt: iso(endsAt) }] : [];
}

/** Periods of the same people on both sides of such a time are one: the later one knows the present reasons. */
function joined(shifts: readonly ShownShift[], at: readonly string[]): ShownShift[] {
  const found: ShownShift[] = [];
  for (const each of shifts) {
    const before = found.at(-1);
    if (before && at.includes(each.startsAt) && key(before) === key(each))
      found[found.length - 1] = { ...each, startsAt: before.startsAt };
    else found.push(each);
  }
  return found;
}

function key({ people }: ShownShift): string {
  return people
    .map((each) => each.userId)
    .sort()
    .join();
}

const time = (text: string) => Date.parse(text);
const iso = (at: number) => new Date(at).toISOString();
