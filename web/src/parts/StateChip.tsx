import { BellOff, Check, CircleDot, Clock, Eye, type LucideIcon } from 'lucide-react';
import { STATE_WORD, type State } from '@/lib/words/words';
import styles from '@/parts/styles.module.css';

const LOOK: Record<State, [string, LucideIcon]> = {
  open: ['var(--state-open)', CircleDot],
  acknowledged: ['var(--state-acknowledged)', Eye],
  snoozed: ['var(--state-snoozed)', Clock],
  silenced: ['var(--state-silenced)', BellOff],
  resolved: ['var(--state-resolved)', Check],
};

/** The state of an incident: icon, word and, where it matters, until when or by whom. */
export function StateChip({ state, more }: { state: State; more?: string }) {
  const [colour, Icon] = LOOK[state];
  return (
    <span className={styles.stateChip} style={{ color: colour }}>
      <Icon size={13} aria-hidden className={styles.rigid} />
      <span className={styles.strong}>{STATE_WORD[state]}</span>
      {more && <span className="clip soft">{more}</span>}
    </span>
  );
}
