import { type Status, STATUSES } from '@/parts/heartbeats/words';
import styles from '@/parts/styles.module.css';

/** The status of a monitor: icon, word and colour; the sentence on hover. */
export function StatusBadge({ status }: { status: Status }) {
  const { word, colour, icon: Icon, about } = STATUSES[status];
  return (
    <span className={styles.monitorStatus} style={{ color: colour }} title={about}>
      <Icon size={15} aria-hidden className={styles.rigid} />
      {word}
    </span>
  );
}
