import { shownZone } from '@/lib/time/time';

const PARTS: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
};

/** The value of a field for date and time, on the clock on which the person reads times. */
export function localOf(at: Date, zone = shownZone()): string {
  const parts = new Intl.DateTimeFormat('en-US', { ...PARTS, timeZone: zone }).formatToParts(at);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}`;
}

/** Returns whether such a value is a moment. Browsers report an incomplete one as the empty text. */
export function isMoment(field: string): boolean {
  return !Number.isNaN(Date.parse(`${field}Z`));
}

/** The moment of such a value. Of an hour that a change of clocks repeats, it is one of both; a skipped one is moved. */
export function momentOf(field: string, zone = shownZone()): Date {
  const asUtc = Date.parse(`${field}Z`);
  const offset = (at: number) => Date.parse(`${localOf(new Date(at), zone)}Z`) - at;
  const guess = asUtc - offset(asUtc);
  return new Date(asUtc - offset(guess));
}
