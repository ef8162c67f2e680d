import { type Disposition, DISPOSITIONS } from '@/parts/events/dispositions';
import styles from '@/parts/styles.module.css';

/** Sign and word; the sentence on hover. */
export function DispositionChip({ disposition }: { disposition: Disposition }) {
  const { word, icon: Icon, colour, about } = DISPOSITIONS[disposition];
  return (
    <span className={styles.dispositionChip} style={{ color: colour }} title={about}>
      <Icon size={14} aria-hidden className={styles.rigid} />
      {word}
    </span>
  );
}
