import { Tooltip } from '@mantine/core';
import { type Status, STATUSES } from '@/parts/heartbeats/words';
import styles from '@/parts/styles.module.css';

/** The status of a monitor: icon, word and colour; the sentence on hover. */
export function StatusBadge({ status }: { status: Status }) {
  const { word, colour, icon: Icon, about } = STATUSES[status];
  return (
    <Tooltip label={about}>
      <span className={styles.monitorStatus} style={{ color: colour }}>
        <Icon size={15} aria-hidden className={styles.rigid} />
        {word}
      </span>
    </Tooltip>
  );
}
