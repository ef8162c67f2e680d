import { Group, Select, TextInput } from '@mantine/core';
import type { DestinationRecord } from '@/api';

export type DigestEntry = { every: string; at: string };
type Setting = DestinationRecord['digest'];

const CHOICES = [
  { value: '', label: 'Off: send each notification immediately' },
  { value: '15_minutes', label: 'Every 15 minutes' },
  { value: 'hour', label: 'Every hour' },
  { value: 'day', label: 'Every day' },
];

/** What the fields hold for a stored setting. */
export function entryOf(setting: Setting | undefined): DigestEntry {
  return { every: setting?.every ?? '', at: setting?.at ?? '08:00' };
}

/** The setting to send; null: no digests. */
export function settingOf({ every, at }: DigestEntry): Setting {
  if (every === '') return null;
  return every === 'day' ? { every, at } : { every: every as NonNullable<Setting>['every'] };
}

type Props = { entry: DigestEntry; error: React.ReactNode; onChange: (entry: DigestEntry) => void };

/** Whether notices gather, and when they are sent. */
export function DigestFields({ entry, error, onChange }: Props) {
  return (
    <Group align="flex-end" grow>
      <Select
        label="Digest"
        description="Collects notifications into one message. Critical ones are always sent immediately."
        data={CHOICES}
        allowDeselect={false}
        value={entry.every}
        onChange={(every) => onChange({ ...entry, every: every ?? '' })}
        error={error}
      />
      {entry.every === 'day' && (
        <TextInput
          label="At"
          description="In the time zone of the workspace."
          type="time"
          required
          value={entry.at}
          onChange={(event) => onChange({ ...entry, at: event.currentTarget.value })}
        />
      )}
    </Group>
  );
}
