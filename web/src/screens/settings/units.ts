/** The units of a length of time that is stored in minutes. */
export const UNITS = { minutes: 1, hours: 60, days: 1440 } as const;
export type Unit = keyof typeof UNITS;

/** The greatest unit that gives a whole number; nothing is no minutes. */
export function unitOf(minutes: number): Unit {
  if (minutes === 0) return 'minutes';
  return (['days', 'hours'] as const).find((each) => minutes % UNITS[each] === 0) ?? 'minutes';
}
