import { duration } from '@/lib/time/time';

/** The most lead times that a person chooses. */
export const MOST_LEADS = 5;

const USUAL = [0, 15, 60, 240, 720, 1440, 2880, 10_080];

/** Usual lead times and those that were set elsewhere, the longest first. */
export function leadChoices(chosen: readonly number[]): { value: string; label: string }[] {
  return ordered([...new Set([...USUAL, ...chosen])]).map((each) => ({ value: String(each), label: leadText(each) }));
}

/** The lead times in the order in which their mails are sent. */
export function ordered(minutes: readonly number[]): number[] {
  return [...minutes].sort((a, b) => b - a);
}

/** "1 day before", "at the start". */
export function leadText(minutes: number): string {
  if (minutes === 0) return 'At the start';
  if (minutes % 1440 === 0) return `${minutes / 1440} ${minutes === 1440 ? 'day' : 'days'} before`;
  return `${duration(minutes * 60)} before`;
}
