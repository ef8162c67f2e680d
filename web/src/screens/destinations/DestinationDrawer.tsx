import { Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { DestinationRecord } from '@/api';
import { Drawer } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import type { Secret } from '@/parts/ShowOnce';
import { Deletion } from '@/screens/destinations/Deletion';
import { DestinationForm } from '@/screens/destinations/DestinationForm';
import { KindIcon } from '@/screens/destinations/KindIcon';
import { KindTiles } from '@/screens/destinations/KindTiles';
import { useKinds } from '@/screens/destinations/kinds';
import { Summary } from '@/screens/destinations/Summary';

type Props = {
  opened: DestinationRecord | 'new' | null;
  readOnly: boolean;
  onClose: () => void;
  onSecret: (secret: Secret) => void;
  onTest: (destination: DestinationRecord) => void;
};

/** One destination, new or known. */
export function DestinationDrawer({ opened, readOnly, onClose, onSecret, onTest }: Props) {
  const existing = opened === 'new' ? null : opened;
  const kinds = useKinds();
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  const kind = kinds?.find((each) => each.kind === (existing?.kind ?? chosen));
  const close = () => {
    setName('');
    setChosen(null);
    onClose();
  };
  return (
    <Drawer
      opened={opened !== null}
      onClose={close}
      position="right"
      size="lg"
      title={existing ? existing.name : 'New destination'}
      closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
    >
      {opened === 'new' && kinds && !kind && <KindTiles kinds={kinds} onChoose={setChosen} />}
      {opened === 'new' && kind && (
        <Group gap="xs" mb="xs">
          <KindIcon kind={kind} />
          <Text fw={600}>{kind.label}</Text>
          <Button variant="subtle" size="compact-sm" mih="var(--target)" onClick={() => setChosen(null)}>
            Change kind
          </Button>
        </Group>
      )}
      {existing && <Summary of={existing} readOnly={readOnly} onTest={() => onTest(existing)} />}
      {kind && (
        <Text size="sm" className="soft" mb="md">
          {existing && `${kind.label}: `}
          {kind.summary}{' '}
          <Anchor href={kind.docsUrl} target="_blank" underline="always">
            How to set it up
          </Anchor>
        </Text>
      )}
      {opened !== null && !kinds && <SkeletonRows count={4} />}
      {opened !== null && kind && (
        <DestinationForm
          key={`${kind.kind} ${existing?.id ?? 'new'}`}
          kind={kind}
          destination={existing}
          readOnly={readOnly}
          name={name}
          onName={setName}
          onDone={close}
          onSecret={onSecret}
        />
      )}
      {existing && !readOnly && <Deletion destination={existing} onDone={onClose} />}
    </Drawer>
  );
}
