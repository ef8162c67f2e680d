import { Tooltip } from '@mantine/core';
import { type Status, STATUSES } from '@/parts/heartbeats/words';

/** The status of a monitor: icon, word and colour; the sentence on hover. */
export function StatusBadge({ status }: { status: Status }) {
  const { word, colour, icon: Icon, about } = STATUSES[status];
  return (
    <Tooltip label={about}>
      <span
        style={{
          display: 'inline-flex',
          alignItems: 'center',
          gap: 6,
          color: colour,
          fontWeight: 600,
          fontSize: 13,
          whiteSpace: 'nowrap',
          verticalAlign: 'middle',
        }}
      >
        <Icon size={15} aria-hidden style={{ flex: 'none' }} />
        {word}
      </span>
    </Tooltip>
  );
}
