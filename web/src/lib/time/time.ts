import { useSyncExternalStore } from 'react';
import { type Preferences, preferences } from '@/lib/preferences/preferences';

const UNITS: readonly [number, string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** "3 min ago", "in 2 h", "just now": short, for lists. */
export function relative(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const size = Math.abs(seconds);
  if (size < 45) return seconds > 5 ? 'in a moment' : 'just now';
  const [length, unit] = UNITS.find(([each]) => size >= each * 0.95) ?? [60, 'min'];
  const text = `${Math.max(1, Math.round(size / length))} ${unit}`;
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

/** Date and time with the zone, by the preferences of the person. */
export function absolute(iso: string): string {
  return format(iso, { dateStyle: 'medium', timeStyle: 'medium' }) + ` ${zoneName(iso)}`;
}

/** "14:30" today, "Tue 14:30" within a week, else with the date. */
export function clock(iso: string, now = Date.now()): string {
  const days = Math.abs(Date.parse(iso) - now) / 86_400_000;
  if (daysAhead(iso, now) === 0) return timeOfDay(iso);
  const day = format(iso, days < 6 ? { weekday: 'short' } : { month: 'short', day: 'numeric' });
  return `${day}${days < 6 ? '' : ','} ${timeOfDay(iso)}`;
}

/** "9:00 AM" or "09:00". */
export function timeOfDay(iso: string): string {
  return format(iso, { hour: isHalfDay() ? 'numeric' : '2-digit', minute: '2-digit' });
}

/** "9:00 AM" today, "9:00 AM tomorrow", "9:00 AM Monday". */
export function dayTime(iso: string, now = Date.now()): string {
  const ahead = daysAhead(iso, now);
  if (ahead === 0) return timeOfDay(iso);
  return `${timeOfDay(iso)} ${ahead === 1 ? 'tomorrow' : format(iso, { weekday: 'long' })}`;
}

/** The number of midnights until then. */
function daysAhead(iso: string, now: number): number {
  const day = (at: string) => Date.parse(format(at, { dateStyle: 'short' }, 'en-US'));
  return Math.round((day(iso) - day(new Date(now).toISOString())) / 86_400_000);
}

/** "2 h 5 min" between two moments, or of so many seconds. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return hours % 24 ? `${Math.floor(hours / 24)} d ${hours % 24} h` : `${hours / 24} d`;
}

function format(iso: string, options: Intl.DateTimeFormatOptions, locale = english()): string {
  const zone = zoneOf(preferences().times);
  return new Intl.DateTimeFormat(locale, { ...options, ...chosenCycle(), ...zone }).format(new Date(iso));
}

/** The English of the browser: its sentences are English, so weekdays and months are, too. */
export function english(): string {
  return globalThis.navigator?.languages?.find((each) => /^en\b/.test(each)) ?? 'en-GB';
}

function isHalfDay(): boolean {
  const options: Intl.DateTimeFormatOptions = { hour: 'numeric', ...chosenCycle() };
  return new Intl.DateTimeFormat(english(), options).resolvedOptions().hour12 === true;
}

/** The 12 or 24 hours that the person chose, else those of the browser's language. */
export function chosenCycle(): Pick<Intl.DateTimeFormatOptions, 'hourCycle'> {
  const { hourCycle } = preferences();
  if (hourCycle !== 'auto') return { hourCycle };
  return { hourCycle: new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions().hourCycle };
}

function zoneName(iso: string): string {
  const zone = zoneOf(preferences().times);
  const parts = new Intl.DateTimeFormat(english(), { timeZoneName: 'short', ...zone }).formatToParts(new Date(iso));
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
}

let workspaceZone: string | undefined;

/** The time zone of the workspace that is shown, for those who read times on its clock. A zone unknown to the browser is none. */
export function showTimesOf(zone: string | undefined): void {
  if (zone === workspaceZone) return;
  workspaceZone = zone !== undefined && isKnown(zone) ? zone : undefined;
}

/** The zone of displayed times: UTC, the zone of the workspace, or the zone of the browser. */
export function shownZone(): string {
  return zoneOf(preferences().times).timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
}

function zoneOf(times: Preferences['times']): { timeZone?: string } {
  if (times === 'utc') return { timeZone: 'UTC' };
  return times === 'workspace' && workspaceZone !== undefined ? { timeZone: workspaceZone } : {};
}

function isKnown(zone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat(undefined, { timeZone: zone }));
  } catch {
    return false;
  }
}

const TICK = 10_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The time of the last tick; all relative times on a page move together. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      listeners.forEach((each) => each());
    }, TICK);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}
