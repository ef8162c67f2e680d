import type { Window } from '@/api';

const WEEK: readonly Window['days'][number][] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/**
 * Hours to add: on the days that no window has, at the times of the last one. After a window over midnight they are whole days,
 * such as weekends after nights. `usual` where every day has hours.
 */
export function nextHours(windows: readonly Window[], usual: Window): Window {
  const last = windows.at(-1);
  const days = WEEK.filter((day) => !windows.some((each) => each.days.includes(day)));
  if (!last || days.length === 0) return usual;
  return { days, start: last.end <= last.start ? last.end : last.start, end: last.end };
}
