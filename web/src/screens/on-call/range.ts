import { localOf, momentOf } from '@/lib/time/localTime';
import { chosenCycle, english } from '@/lib/time/time';

export type View = 'day' | 'week' | 'two-weeks' | 'month';

export const VIEWS: readonly { value: View; label: string; days: number }[] = [
  { value: 'day', label: 'Day', days: 1 },
  { value: 'week', label: 'Week', days: 7 },
  { value: 'two-weeks', label: '2 weeks', days: 14 },
  { value: 'month', label: 'Month', days: 30 },
];

const DAY = 86_400_000;
const HOURS = [0, 3, 6, 9, 12, 15, 18, 21];
/** A month has a date below each day, without its weekday. */
const MOST_NAMED_DAYS = 14;

/** A period of whole local days: its first day as `YYYY-MM-DD`, and its bounds in milliseconds. */
export type Range = { day: string; days: number; from: number; to: number };
export type Period = { startsAt: string; endsAt: string };
export type Tick = { left: number; label: string };

/** The period of a view that begins at the midnight of a day, on the clock on which the person reads times. */
export function rangeOf(view: View, day: string): Range {
  const days = VIEWS.find((each) => each.value === view)!.days;
  return { day, days, from: midnight(day), to: midnight(later(day, days)) };
}

export function dayOf(at: number): string {
  return localOf(new Date(at)).slice(0, 10);
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00Z`));
}

/** The day so many days later. */
export function later(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/** Where a time lies in a range, in percent. */
export function percentOf(at: number, { from, to }: Pick<Range, 'from' | 'to'>): number {
  return ((at - from) / (to - from)) * 100;
}

/** The part of a period that lies in a range, in percent; null outside of it. */
export function placeOf({ startsAt, endsAt }: Period, range: Pick<Range, 'from' | 'to'>) {
  const left = Math.max(0, percentOf(Date.parse(startsAt), range));
  const right = Math.min(100, percentOf(Date.parse(endsAt), range));
  return right > left ? { left, width: right - left } : null;
}

/** The days of a range, or the hours of a single day, with their places. */
export function ticksOf(range: Range): Tick[] {
  if (range.days === 1) return HOURS.map((hour) => tick(range, range.day, hour));
  return Array.from({ length: range.days }, (_, index) => tick(range, later(range.day, index), null));
}

function tick(range: Range, day: string, hour: number | null): Tick {
  const time = `${day}T${String(hour ?? 0).padStart(2, '0')}:00`;
  const words = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(english(), { ...options, timeZone: 'UTC' }).format(Date.parse(`${time}Z`));
  const weekday = range.days <= MOST_NAMED_DAYS ? `${words({ weekday: 'short' })} ` : '';
  const label = hour === null ? weekday + words({ day: 'numeric' }) : words({ hour: 'numeric', ...chosenCycle() });
  return { left: percentOf(momentOf(time).getTime(), range), label };
}

/** The beginning of a day in milliseconds, on the clock on which the person reads times. */
export function midnight(day: string): number {
  return momentOf(`${day}T00:00`).getTime();
}

/** The first and the last day, such as "30 Nov 2026 to 13 Dec 2026". */
export function rangeText({ day, days }: Range): string {
  const words = new Intl.DateTimeFormat(english(), {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const first = words.format(Date.parse(`${day}T00:00Z`));
  return days === 1 ? first : `${first} to ${words.format(Date.parse(`${later(day, days - 1)}T00:00Z`))}`;
}

/** Periods that were read between two times. One that lasts beyond them is cut at the range instead: its end is not known. */
export function known<Each extends Period>(periods: readonly Each[], read: Period, range: Range): Each[] {
  return periods.map((each) => ({
    ...each,
    startsAt: Date.parse(each.startsAt) <= Date.parse(read.startsAt) ? iso(range.from) : each.startsAt,
    endsAt: Date.parse(each.endsAt) >= Date.parse(read.endsAt) ? iso(range.to) : each.endsAt,
  }));
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Periods in as few rows as possible without overlaps, in the order of their starts. */
export function packed<Each extends Period>(periods: readonly Each[]): Each[][] {
  const rows: Each[][] = [];
  for (const each of [...periods].sort((a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt))) {
    const free = rows.find((row) => Date.parse(row.at(-1)!.endsAt) <= Date.parse(each.startsAt));
    if (free) free.push(each);
    else rows.push([each]);
  }
  return rows;
}
