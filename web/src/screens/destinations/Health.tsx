import { CircleCheck, CircleDashed, CircleOff, CircleX, Hourglass, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { DestinationRecord } from '@/api';

const LOOK: Record<DestinationRecord['health']['state'], [string, string, LucideIcon]> = {
  working: ['Working', 'var(--severity-success)', CircleCheck],
  failing: ['Failing', 'var(--severity-warning)', TriangleAlert],
  rate_limited: ['Rate limited', 'var(--severity-warning)', Hourglass],
  stopped: ['Stopped', 'var(--severity-critical)', CircleX],
  disabled: ['Disabled', 'var(--text-soft)', CircleOff],
  never_used: ['Never used', 'var(--text-soft)', CircleDashed],
};

/** Sign and word of the state, and the sentence of the service. */
export function Health({ of: { health } }: { of: DestinationRecord }) {
  const [word, colour, Icon] = LOOK[health.state];
  return (
    <span style={{ display: 'grid', gap: 2, padding: '4px 0' }}>
      <span style={{ display: 'inline-flex', alignItems: 'center', gap: 5, color: colour, fontWeight: 600 }}>
        <Icon size={14} aria-hidden style={{ flex: 'none' }} />
        {word}
      </span>
      <span className="soft" style={{ fontSize: 12, overflowWrap: 'anywhere' }}>
        {health.text}
      </span>
    </span>
  );
}
