import type { SilenceRecord } from '@/api';
import { duration } from '@/lib/time/time';
import { listed } from '@/lib/words/words';

type Recurrence = NonNullable<SilenceRecord['recurrence']>;

export const DAYS: readonly [string, string][] = [
  ['MO', 'Mon'],
  ['TU', 'Tue'],
  ['WE', 'Wed'],
  ['TH', 'Thu'],
  ['FR', 'Fri'],
  ['SA', 'Sat'],
  ['SU', 'Sun'],
];

/** The days of a rule that names nothing but days of the week. */
export function weekdaysOf(rrule: string): string[] | undefined {
  return /^FREQ=WEEKLY;BYDAY=([A-Z,]+)$/.exec(rrule)?.[1]?.split(',');
}

/** "repeats on Sun for 1 h", "recurs every day for 30 min". */
export function recurrenceText({ rrule, durationMinutes }: Recurrence): string {
  const days = weekdaysOf(rrule);
  const words = days && DAYS.filter(([day]) => days.includes(day)).map(([, word]) => word);
  const when = rrule === 'FREQ=DAILY' ? 'every day' : words ? `on ${listed(words)}` : `by ${rrule}`;
  return `repeats ${when} for ${duration(durationMinutes * 60)}`;
}
