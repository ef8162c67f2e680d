import { CircleCheck, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { CheckRecord } from '@/api';
import styles from '@/parts/styles.module.css';
import { type CheckStatus, countByStatus } from '@/screens/watchers/checks';
import classes from '@/screens/watchers/Watchers.module.css';

const LOOKS: Record<CheckStatus, { word: string; counted: string; colour: string; icon: LucideIcon }> = {
  fail: { word: 'Fails', counted: 'failing', colour: 'var(--severity-critical)', icon: CircleX },
  warn: { word: 'Warns', counted: 'warning', colour: 'var(--severity-warning)', icon: TriangleAlert },
  ok: { word: 'OK', counted: 'OK', colour: 'var(--severity-success)', icon: CircleCheck },
};

/** The status of one check: icon, word and colour. */
export function CheckBadge({ status }: { status: CheckStatus }) {
  const { word, colour, icon: Icon } = LOOKS[status];
  return (
    <span className={classes.mark} style={{ color: colour }}>
      <Icon size={15} aria-hidden className={styles.rigid} />
      {word}
    </span>
  );
}

/** The number of checks of each status. */
export function CheckMarks({ checks }: { checks: readonly CheckRecord[] }) {
  if (checks.length === 0) return <span className="soft">No checks</span>;
  return (
    <span className={classes.marks}>
      {countByStatus(checks).map(([status, count]) => {
        const { counted, colour, icon: Icon } = LOOKS[status];
        return (
          <span key={status} className={classes.mark} style={{ color: colour }}>
            <Icon size={14} aria-hidden className={styles.rigid} />
            <span className="numbers">
              {count} {counted}
            </span>
          </span>
        );
      })}
    </span>
  );
}
