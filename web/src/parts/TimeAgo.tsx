import { absolute, clock, relative, useNow } from '@/lib/time/time';

/** "3 min ago", with the date and time on hover and for readers of screens. */
export function TimeAgo({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={absolute(at)} className="numbers">
      {relative(at, now)}
    </time>
  );
}

/** Date and time with the zone. `short` leaves out what is clear today. */
export function TimeAt({ at, short = false }: { at: string; short?: boolean }) {
  return (
    <time dateTime={at} title={absolute(at)} className="numbers">
      {short ? clock(at) : absolute(at)}
    </time>
  );
}
