import {
  CircleCheck,
  CircleDashed,
  CircleOff,
  CircleX,
  Hourglass,
  type LucideIcon,
  RotateCw,
  TriangleAlert,
} from 'lucide-react';
import type { DestinationRecord } from '@/api';
import { localText } from '@/lib/time/localText';
import styles from '@/parts/styles.module.css';
import classes from '@/screens/destinations/Destinations.module.css';

const LOOK: Record<DestinationRecord['health']['state'], [string, string, LucideIcon]> = {
  working: ['Working', 'var(--severity-success)', CircleCheck],
  failing: ['Failing', 'var(--severity-warning)', TriangleAlert],
  retrying: ['Retrying', 'var(--severity-warning)', RotateCw],
  rate_limited: ['Rate limited', 'var(--severity-warning)', Hourglass],
  stopped: ['Stopped', 'var(--severity-critical)', CircleX],
  disabled: ['Disabled', 'var(--text-soft)', CircleOff],
  never_used: ['Never used', 'var(--text-soft)', CircleDashed],
};

/** Sign and word of the state, and the sentence of the service. */
export function Health({ of: { health } }: { of: DestinationRecord }) {
  const [word, colour, Icon] = LOOK[health.state];
  return (
    <span className={classes.health}>
      <span className={classes.healthWord} style={{ color: colour }}>
        <Icon size={14} aria-hidden className={styles.rigid} />
        {word}
      </span>
      <span className={`soft ${classes.healthAbout}`}>{localText(health.text)}</span>
    </span>
  );
}
