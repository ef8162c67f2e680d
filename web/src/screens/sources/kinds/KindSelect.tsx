import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Code, HeartPulse, type LucideIcon, Mail, MessageSquare, Wrench } from 'lucide-react';
import type { SourceKind } from '@/api';
import { sourceKindsListOptions } from '@/api/@tanstack/react-query.gen';
import styles from '@/parts/styles.module.css';
import classes from '@/screens/sources/Sources.module.css';

/** The kind of a sender that is no known tool. */
export const FIRST_KIND = 'events';
const ICONS: Record<string, LucideIcon> = { code: Code, mail: Mail, heartbeat: HeartPulse, message: MessageSquare };

/** The catalogue of kinds. It changes with the version and the settings of the service only. */
export function useSourceKinds(): SourceKind[] | undefined {
  return useQuery({ ...sourceKindsListOptions(), staleTime: Infinity }).data?.items;
}

/** The picture of a kind. An unknown one is a tool. */
export function KindIcon({ kind, size = 18 }: { kind: SourceKind | undefined; size?: number }) {
  const Icon = ICONS[kind?.icon ?? ''] ?? Wrench;
  return <Icon size={size} strokeWidth={1.5} aria-hidden className={styles.rigid} />;
}

type Props = {
  kinds: readonly SourceKind[];
  value: string;
  onChange: (kind: string) => void;
  description?: string;
  maw?: number;
};

/** A choice among all kinds, each with its picture and what it is. */
export function KindSelect({ kinds, value, onChange, description, maw }: Props) {
  const find = (name: string) => kinds.find((each) => each.kind === name);
  return (
    <Select
      label="Sender"
      description={description}
      searchable
      data={kinds.map((each) => ({ value: each.kind, label: each.label, disabled: !each.available }))}
      renderOption={({ option }) => <KindOption kind={find(option.value)} />}
      leftSection={<KindIcon kind={find(value)} size={16} />}
      value={value}
      allowDeselect={false}
      nothingFoundMessage="No such sender"
      maxDropdownHeight={380}
      maw={maw}
      onChange={(next) => next && onChange(next)}
    />
  );
}

function KindOption({ kind }: { kind: SourceKind | undefined }) {
  return (
    <span className={styles.choice}>
      <span className={classes.kindText}>
        <KindIcon kind={kind} />
      </span>
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
