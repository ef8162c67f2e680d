import { Anchor, Drawer, Select, Text } from '@mantine/core';
import { Mail, MessageSquare, Siren, Smartphone, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { DestinationKindRecord, DestinationRecord } from '@/api';
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
          searchable
          maxDropdownHeight={420}
          data={kinds.map((each) => ({ value: each.kind, label: each.label, disabled: !each.available }))}
          renderOption={({ option }) => <KindOption kind={kinds.find((each) => each.kind === option.value)} />}
          value={kind?.kind ?? null}
          onChange={setChosen}
        />
      )}
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

const ICONS: Record<string, typeof Webhook> = { chat: MessageSquare, mail: Mail, pager: Siren, phone: Smartphone };

/** A kind in the list of kinds: its name and what it does. */
function KindOption({ kind }: { kind: DestinationKindRecord | undefined }) {
  const Icon = ICONS[kind?.icon ?? ''] ?? Webhook;
  return (
    <span style={{ display: 'flex', gap: 10, alignItems: 'flex-start', paddingBlock: 2 }}>
      <Icon size={18} strokeWidth={1.5} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
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
