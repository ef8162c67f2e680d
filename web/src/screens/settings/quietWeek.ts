import type { Window } from '@/api';
import { listed } from '@/lib/words/words';

export type Day = Window['days'][number];
/** A part of a day, in percent of it. */
export type Bar = { left: number; width: number };

export const DAYS: readonly { day: Day; word: string }[] = [
  { day: 'mon', word: 'Mon' },
  { day: 'tue', word: 'Tue' },
  { day: 'wed', word: 'Wed' },
  { day: 'thu', word: 'Thu' },
  { day: 'fri', word: 'Fri' },
  { day: 'sat', word: 'Sat' },
  { day: 'sun', word: 'Sun' },
];

/** The parts of each day that the windows cover. A window whose end is not after its start ends on the next day. */
export function barsOf(windows: readonly Window[]): Record<Day, Bar[]> {
  const bars = Object.fromEntries(DAYS.map(({ day }) => [day, [] as Bar[]])) as Record<Day, Bar[]>;
  for (const { days, start, end } of windows) {
    const [from, until] = [shareOf(start), shareOf(end)];
    if (from === null || until === null) continue;
    for (const day of days) {
      if (until > from) bars[day].push({ left: from, width: until - from });
      else {
        bars[day].push({ left: from, width: 100 - from });
        if (until > 0) bars[after(day)].push({ left: 0, width: until });
      }
    }
  }
  return bars;
}

/** "Mon to Fri 22:00 to 07:00, Sat and Sun 00:00 to 12:00". */
export function sentenceOf(windows: readonly Window[]): string {
  return windows
    .filter(({ days, start, end }) => days.length > 0 && start && end)
    .map(({ days, start, end }) => `${daysOf(days)} ${start} to ${end}`)
    .join(', ');
}

/** "every day", "Mon to Fri", "Mon, Wed and Sun". */
export function daysOf(days: readonly Day[]): string {
  const places = DAYS.flatMap(({ day }, place) => (days.includes(day) ? [place] : []));
  const word = (place: number) => DAYS[place]!.word;
  const [first, last] = [places[0] ?? 0, places.at(-1) ?? 0];
  if (places.length === DAYS.length) return 'every day';
  if (places.length > 2 && last - first === places.length - 1) return `${word(first)} to ${word(last)}`;
  return listed(places.map(word));
}

/** Returns whether the text is a day of the calendar, such as 2026-12-24. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function shareOf(time: string): number | null {
  const found = /^(\d{2}):(\d{2})/.exec(time);
  return found ? ((Number(found[1]) * 60 + Number(found[2])) / 1440) * 100 : null;
}

function after(day: Day): Day {
  const place = DAYS.findIndex((each) => each.day === day);
  return DAYS[(place + 1) % DAYS.length]!.day;
}
