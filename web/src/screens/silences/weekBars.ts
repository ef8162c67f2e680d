import { localOf, momentOf } from '@/lib/time/localTime';
import { english } from '@/lib/time/time';

const DAY = 86_400_000;
export const DAYS = 7;

export type Bar = { left: number; width: number };
type Period = { startsAt: string; endsAt: string };

/** Where the periods lie in the week from now on, in percent. What reaches beyond the week is cut. */
export function barsOf(periods: readonly Period[], now: number): Bar[] {
  const percent = (iso: string) => Math.min(100, Math.max(0, ((Date.parse(iso) - now) / (DAYS * DAY)) * 100));
  return periods
    .map(({ startsAt, endsAt }) => ({ left: percent(startsAt), width: percent(endsAt) - percent(startsAt) }))
    .filter(({ width }) => width > 0);
}

/** The midnights of the week on the clock on which the person reads times: where they lie, and the names of their days. */
export function midnights(now: number): { left: number; name: string }[] {
  const weekday = new Intl.DateTimeFormat(english(), { weekday: 'short', timeZone: 'UTC' });
  const today = Date.parse(`${localOf(new Date(now)).slice(0, 10)}T00:00Z`);
  const found = [];
  for (let day = 1; day <= DAYS; day += 1) {
    const date = new Date(today + day * DAY);
    const left = ((momentOf(date.toISOString().slice(0, 16)).getTime() - now) / (DAYS * DAY)) * 100;
    if (left < 100) found.push({ left, name: weekday.format(date) });
  }
  return found;
}
