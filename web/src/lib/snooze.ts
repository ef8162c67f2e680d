import type { KeyAct } from '@/lib/keys';
import { preferences } from '@/lib/preferences';
import { duration } from '@/lib/time';

/** The choices of snoozing, with their keys. */
export type SnoozeChoice = { keys: string; label: string; until: (now: Date) => Date };

const after = (minutes: number) => (now: Date) => new Date(now.getTime() + minutes * 60_000);

export const SNOOZES: readonly SnoozeChoice[] = [
  { keys: 's 1', label: '15 minutes', until: after(15) },
  { keys: 's 2', label: '1 hour', until: after(60) },
  { keys: 's 3', label: '4 hours', until: after(240) },
  { keys: 's 4', label: 'Until 09:00', until: (now) => nextNine(now, () => true) },
  { keys: 's 5', label: 'Until Monday 09:00', until: (now) => nextNine(now, (day) => day.getDay() === 1) },
];

/** The time that a person chose in their account. */
export function usualSnooze(minutes = preferences().snoozeMinutes): SnoozeChoice {
  return { keys: 's s', label: `My usual time, ${duration(minutes * 60)}`, until: after(minutes) };
}

/** The keys that snooze, with the usual time first. */
export function snoozeKeys(run: (until: string) => void): KeyAct[] {
  return [usualSnooze(), ...SNOOZES].map(({ keys, label, until }) => ({
    keys,
    label: `Snooze: ${label}`,
    run: () => run(until(new Date()).toISOString()),
  }));
}

function nextNine(now: Date, fits: (day: Date) => boolean): Date {
  const found = new Date(now);
  found.setHours(9, 0, 0, 0);
  while (found <= now || !fits(found)) found.setDate(found.getDate() + 1);
  return found;
}
