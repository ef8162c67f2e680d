import { isDay, later } from '@/screens/on-call/range';

/** The first and the last day of a period. */
export type Days = { since: string; until: string };

/** The most days of a period. */
export const MOST_DAYS = 366;
export const OTHER = 'other';
export const USUAL = '30';

export const PERIODS: readonly { value: string; label: string }[] = [
  { value: 'this-month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: '14', label: 'Last 14 days' },
  { value: USUAL, label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last 365 days' },
  { value: OTHER, label: 'Other days' },
];

/** The name of the period of an address. One that is unknown is the usual one. */
export function periodNameOf(text: string | null): string {
  return PERIODS.some((each) => each.value === text) ? text! : USUAL;
}

/** The days of a period, seen from today. Other days stand in the address; those that do not are today. */
export function daysOf(name: string, today: string, given: { since: string | null; until: string | null }): Days {
  const first = `${today.slice(0, 8)}01`;
  if (name === 'this-month') return { since: first, until: today };
  if (name === 'last-month') {
    const until = later(first, -1);
    return { since: `${until.slice(0, 8)}01`, until };
  }
  if (name === OTHER) return { since: dayOr(given.since, today), until: dayOr(given.until, today) };
  return { since: later(today, 1 - Number(name)), until: today };
}

/** What is wrong with a period; empty for a good one. */
export function periodFault({ since, until }: Days): string {
  if (until < since) return 'The last day is before the first.';
  return later(since, MOST_DAYS) <= until ? `At most ${MOST_DAYS} days.` : '';
}

/** "132.5 h". */
export function hours(seconds: number): string {
  return `${(Math.round(seconds / 360) / 10).toLocaleString()} h`;
}

function dayOr(text: string | null, other: string): string {
  return text !== null && isDay(text) ? text : other;
}
