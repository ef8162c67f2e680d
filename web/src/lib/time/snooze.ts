import type { KeyAct } from '@/lib/keyboard/keys';
import { preferences } from '@/lib/preferences/preferences';
import { isMoment, localOf, momentOf } from '@/lib/time/localTime';
import { dayTime, duration } from '@/lib/time/time';

/** The choices of snoozing, with their keys. A label may name the time at which the choice ends. */
export type SnoozeChoice = { keys: string; label: (now: Date) => string; until: (now: Date) => Date };

const after = (minutes: number) => (now: Date) => new Date(now.getTime() + minutes * 60_000);

export const SNOOZES: readonly SnoozeChoice[] = [
  { keys: 's 1', label: () => '15 minutes', until: after(15) },
  { keys: 's 2', label: () => '1 hour', until: after(60) },
  { keys: 's 3', label: () => '4 hours', until: after(240) },
  untilNine('s 4', () => true),
  untilNine('s 5', (weekday) => weekday === 1),
];

/** The time that a person chose in their account. */
export function usualSnooze(minutes = preferences().snoozeMinutes): SnoozeChoice {
  return { keys: 's s', label: () => `Default (${duration(minutes * 60)})`, until: after(minutes) };
}

const LONGEST_MS = 30 * 24 * 60 * 60_000;

/** The moment of a field for date and time; undefined unless it is in the next 30 days. */
export function snoozeEnd(field: string, now: Date): Date | undefined {
  if (!isMoment(field)) return undefined;
  const end = momentOf(field);
  const ahead = end.getTime() - now.getTime();
  return ahead > 0 && ahead <= LONGEST_MS ? end : undefined;
}

/** The field for the next morning, from which a person changes the time. */
export function tomorrowMorning(now: Date): string {
  return localOf(nextNine(new Date(now.getTime() + 12 * 60 * 60_000), () => true));
}

/** The keys that snooze, with the usual time first. */
export function snoozeKeys(run: (until: string) => void): KeyAct[] {
  return [usualSnooze(), ...SNOOZES].map(({ keys, label, until }) => ({
    keys,
    label: `Snooze: ${label(new Date())}`,
    run: () => run(until(new Date()).toISOString()),
  }));
}

function untilNine(keys: string, fits: (weekday: number) => boolean): SnoozeChoice {
  const until = (now: Date) => nextNine(now, fits);
  return { keys, until, label: (now) => `Until ${dayTime(until(now).toISOString(), now.getTime())}` };
}

/** The next nine o'clock on such a weekday (Sunday is 0), on the clock on which the person reads times. */
function nextNine(now: Date, fits: (weekday: number) => boolean): Date {
  const date = new Date(`${localOf(now).slice(0, 10)}T00:00Z`);
  for (;;) {
    const found = momentOf(`${date.toISOString().slice(0, 10)}T09:00`);
    if (found > now && fits(date.getUTCDay())) return found;
    date.setUTCDate(date.getUTCDate() + 1);
  }
}
