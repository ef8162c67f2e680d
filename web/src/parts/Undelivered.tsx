import { Hourglass } from 'lucide-react';
import type { IncidentRecord } from '@/api';
import { clock } from '@/lib/time/time';
import { counted, listed } from '@/lib/words/words';
import styles from '@/parts/styles.module.css';

/** Notices that fail and are tried again: in a list a short word, with whom, how often and when next on hover. */
export function Undelivered({ of, short = false }: { of: IncidentRecord; short?: boolean }) {
  if (of.undelivered === null) return null;
  return (
    <span
      title={undeliveredText(of.undelivered)}
      className={styles.notifiedNobody}
      style={{ fontSize: short ? undefined : 12 }}
    >
      <Hourglass size={short ? 12 : 14} aria-hidden />
      {short ? 'not delivered yet' : 'Not delivered yet'}
    </span>
  );
}

/** "Pager: 7 failed attempts since 08:14, next at 10:30". */
export function undeliveredText(of: NonNullable<IncidentRecord['undelivered']>): string {
  const next = of.nextAttemptAt ? `, next at ${clock(of.nextAttemptAt)}` : '';
  return `${listed(of.destinationNames)}: ${counted(of.attempts, 'failed attempt')} since ${clock(of.since)}${next}`;
}
