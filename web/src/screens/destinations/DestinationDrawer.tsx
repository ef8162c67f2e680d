import { Drawer, Select, Text } from '@mantine/core';
import { useState } from 'react';
import type { DestinationRecord } from '@/api';
import type { Secret } from '@/parts/ShowOnce';
import { SkeletonRows } from '@/parts/EmptyState';
import { Deletion } from '@/screens/destinations/Deletion';
import { DestinationForm } from '@/screens/destinations/DestinationForm';
import { useKinds } from '@/screens/destinations/kinds';

type Props = {
  opened: DestinationRecord | 'new' | null;
  readOnly: boolean;
  onClose: () => void;
  onSecret: (secret: Secret) => void;
};

/** One destination, new or known. */
export function DestinationDrawer({ opened, readOnly, onClose, onSecret }: Props) {
  const known = opened === 'new' ? null : opened;
  const kinds = useKinds();
  const [chosen, setChosen] = useState<string | null>(null);
  const kind = kinds?.find((each) => each.kind === (known?.kind ?? chosen)) ?? (known ? undefined : kinds?.[0]);
  return (
    <Drawer
      opened={opened !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={known ? known.name : 'Create a destination'}
      closeButtonProps={{ 'aria-label': 'Close', size: 44 }}
    >
      {opened === 'new' && kinds && kinds.length > 1 && (
        <Select
          label="Kind"
          mb="md"
          allowDeselect={false}
          data={kinds.map((each) => ({ value: each.kind, label: each.label }))}
          value={kind?.kind ?? null}
          onChange={setChosen}
        />
      )}
      {kind && (
        <Text size="sm" className="soft" mb="md">
          {kind.label}: {kind.summary}
        </Text>
      )}
      {opened !== null && !kind && <SkeletonRows count={4} />}
      {opened !== null && kind && (
        <DestinationForm
          key={`${kind.kind} ${known?.id ?? 'new'}`}
          kind={kind}
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
