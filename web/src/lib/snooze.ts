/** The choices of snoozing, in the order of their keys. */
export type SnoozeChoice = { label: string; until: (now: Date) => Date };

const after = (minutes: number) => (now: Date) => new Date(now.getTime() + minutes * 60_000);

export const SNOOZES: readonly SnoozeChoice[] = [
  { label: '15 minutes', until: after(15) },
  { label: '1 hour', until: after(60) },
  { label: '4 hours', until: after(240) },
  { label: 'Until 09:00', until: (now) => nextNine(now, () => true) },
  { label: 'Until Monday 09:00', until: (now) => nextNine(now, (day) => day.getDay() === 1) },
];

function nextNine(now: Date, fits: (day: Date) => boolean): Date {
  const found = new Date(now);
  found.setHours(9, 0, 0, 0);
  while (found <= now || !fits(found)) found.setDate(found.getDate() + 1);
  return found;
}
