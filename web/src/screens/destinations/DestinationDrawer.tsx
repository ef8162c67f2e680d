import { Drawer } from '@mantine/core';
import type { DestinationRecord } from '@/api';
import type { Secret } from '@/parts/ShowOnce';
import { Deletion } from '@/screens/destinations/Deletion';
import { DestinationForm } from '@/screens/destinations/DestinationForm';

type Props = {
  opened: DestinationRecord | 'new' | null;
  readOnly: boolean;
  onClose: () => void;
  onSecret: (secret: Secret) => void;
};

/** One destination, new or known. */
export function DestinationDrawer({ opened, readOnly, onClose, onSecret }: Props) {
  const known = opened === 'new' ? null : opened;
  return (
    <Drawer
      opened={opened !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={known ? known.name : 'Create a webhook'}
      closeButtonProps={{ 'aria-label': 'Close', size: 44 }}
    >
      {opened !== null && (
        <DestinationForm
          key={known?.id ?? 'new'}
          destination={known}
          readOnly={readOnly}
          onDone={onClose}
          onSecret={onSecret}
        />
      )}
      {known && !readOnly && <Deletion destination={known} onDone={onClose} />}
    </Drawer>
  );
}
