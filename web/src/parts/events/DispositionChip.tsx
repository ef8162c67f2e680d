import { Tooltip } from '@mantine/core';
import { type Disposition, DISPOSITIONS } from '@/parts/events/dispositions';

/** Sign and word; the sentence on hover. */
export function DispositionChip({ disposition }: { disposition: Disposition }) {
  const { word, icon: Icon, colour, about } = DISPOSITIONS[disposition];
  return (
    <Tooltip label={about}>
      <span
        style={{
          display: 'inline-flex',
          alignItems: 'center',
          gap: 5,
          color: colour,
          fontSize: 13,
          whiteSpace: 'nowrap',
        }}
      >
        <Icon size={14} aria-hidden style={{ flex: 'none' }} />
        {word}
      </span>
    </Tooltip>
  );
}
