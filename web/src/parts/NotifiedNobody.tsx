import { BellOff } from 'lucide-react';
import styles from '@/parts/styles.module.css';

const TEXT = 'No one notified';

/** An alert that reached nobody: in a list with an icon and a short word, else in full. */
export function NotifiedNobody({ short = false }: { short?: boolean }) {
  return (
    <span
      data-nobody
      title={short ? TEXT : undefined}
      className={styles.notifiedNobody}
      style={{ fontSize: short ? undefined : 12 }}
    >
      <BellOff size={short ? 12 : 14} aria-hidden />
      {short ? 'no one notified' : TEXT}
    </span>
  );
}
