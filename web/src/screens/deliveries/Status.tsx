import {
  Ban,
  CircleAlert,
  CircleCheck,
  Clock,
  Hourglass,
  Layers,
  type LucideIcon,
  RotateCw,
  TimerOff,
} from 'lucide-react';
import type { DeliveryRecord } from '@/api';
import classes from '@/screens/deliveries/Deliveries.module.css';
import { STATUSES } from '@/screens/deliveries/words';

const LOOK: Record<DeliveryRecord['status'], [LucideIcon, string]> = {
  pending: [Hourglass, 'var(--text-soft)'],
  sending: [Hourglass, 'var(--text-soft)'],
  retrying: [RotateCw, 'var(--severity-warning)'],
  held: [Clock, 'var(--state-snoozed)'],
  sent: [CircleCheck, 'var(--severity-success)'],
  failed: [CircleAlert, 'var(--severity-critical)'],
  skipped: [Ban, 'var(--text-soft)'],
  expired: [TimerOff, 'var(--severity-critical)'],
  gathered: [Layers, 'var(--text-soft)'],
};

/** Icon, word and colour of the status of a delivery. */
export function Status({ delivery }: { delivery: DeliveryRecord }) {
  const [Icon, colour] = LOOK[delivery.status];
  return (
    <span className={classes.status} style={{ color: colour }}>
      <Icon size={15} aria-hidden /> {STATUSES[delivery.status]}
    </span>
  );
}
