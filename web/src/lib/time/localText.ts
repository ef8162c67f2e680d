import { clock } from '@/lib/time/time';

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/g;

/** A sentence of the service, whose instants are written on the clock on which the person reads times. */
export function localText(text: string, now = Date.now()): string {
  return text.replace(INSTANT, (instant) => clock(instant, now));
}
