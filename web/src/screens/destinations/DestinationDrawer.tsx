import { Anchor, Select, Text } from '@mantine/core';
import { useState } from 'react';
import type { DestinationKindRecord, DestinationRecord } from '@/api';
import { Drawer } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import type { Secret } from '@/parts/ShowOnce';
import styles from '@/parts/styles.module.css';
import { Deletion } from '@/screens/destinations/Deletion';
import { DestinationForm } from '@/screens/destinations/DestinationForm';
import { KindIcon } from '@/screens/destinations/KindIcon';
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
  const kind = kinds?.find((each) => each.kind === (existing?.kind ?? chosen)) ?? (existing ? undefined : kinds?.[0]);
  const close = () => {
    setName('');
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
      {opened === 'new' && kinds && kinds.length > 1 && (
        <Select
          label="Kind"
          mb="md"
          allowDeselect={false}
          searchable
          maxDropdownHeight={420}
          data={kinds.map((each) => ({ value: each.kind, label: each.label, disabled: !each.available }))}
          renderOption={({ option }) => <KindOption kind={kinds.find((each) => each.kind === option.value)} />}
          value={kind?.kind ?? null}
          onChange={setChosen}
        />
      )}
      {existing && <Summary of={existing} readOnly={readOnly} onTest={() => onTest(existing)} />}
      {kind && (
        <Text size="sm" className="soft" mb="md">
          {kind.label}: {kind.summary}{' '}
          <Anchor href={kind.docsUrl} target="_blank" underline="always">
            How to set it up
          </Anchor>
        </Text>
      )}
      {opened !== null && !kind && <SkeletonRows count={4} />}
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

/** A kind in the list of kinds: its name and what it does. */
function KindOption({ kind }: { kind: DestinationKindRecord | undefined }) {
  return (
    <span className={styles.choice}>
      <KindIcon kind={kind} />
      <span>
        <Text span size="sm" fw={600} display="block">
          {kind?.label}
        </Text>
        <Text span size="xs" className="soft" display="block">
          {kind?.unavailableBecause ?? kind?.summary}
        </Text>
      </span>
    </span>
  );
}
