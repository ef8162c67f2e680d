import { BellOff } from 'lucide-react';

const TEXT = 'Nobody was notified';

/** An alert that reached nobody: in a list with an icon and a short word, else in full. */
export function NotifiedNobody({ short = false }: { short?: boolean }) {
  return (
    <span
      data-nobody
      title={short ? TEXT : undefined}
      style={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 4,
        flex: 'none',
        color: 'var(--severity-warning)',
        fontWeight: 600,
        fontSize: short ? undefined : 12,
        whiteSpace: 'nowrap',
      }}
    >
      <BellOff size={short ? 12 : 14} aria-hidden />
      {short ? 'nobody notified' : TEXT}
    </span>
  );
}
