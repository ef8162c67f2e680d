import { BellOff, Check, CircleDot, Clock, Eye, type LucideIcon } from 'lucide-react';
import { STATE_WORD, type State } from '@/lib/words/words';

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
    <span
      style={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 5,
        padding: '1px 8px',
        height: 22,
        maxWidth: '100%',
        border: '1px solid var(--line)',
        borderRadius: 11,
        color: colour,
        background: 'var(--ground)',
        fontSize: 12,
        whiteSpace: 'nowrap',
      }}
    >
      <Icon size={13} aria-hidden style={{ flex: 'none' }} />
      <span style={{ fontWeight: 600 }}>{STATE_WORD[state]}</span>
      {more && <span className="clip soft">{more}</span>}
    </span>
  );
}
