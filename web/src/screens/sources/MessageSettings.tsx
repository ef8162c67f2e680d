import { Checkbox, Select, Text, TextInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { SourceRecord } from '@/api';

type Preset = NonNullable<SourceRecord['recoveryPreset']>;

/** The settings of legacy push messages. An empty text is none. */
export type MessageFields = { allowQueryToken: boolean; recoveryPattern: string; recoveryPreset: Preset | '' };

const PRESETS: { value: Preset | ''; label: string }[] = [
  { value: '', label: 'None' },
  { value: 'uptime_kuma', label: 'Uptime Kuma' },
  { value: 'healthchecks', label: 'Healthchecks' },
  { value: 'netdata', label: 'Netdata' },
  { value: 'proxmox', label: 'Proxmox VE' },
];

/** How legacy push messages are received: which of them end an alarm, and where an alias token may stand. */
export function MessageSettings<F extends MessageFields>({ form }: { form: UseFormReturnType<F> }) {
  return (
    <>
      <div>
        <Title order={2}>Legacy push messages</Title>
        <Text size="sm" className="soft">
          For senders with an alias token, whose messages do not say that an alarm has ended.
        </Text>
      </div>
      <Select
        label="Recoveries as written by"
        description="A pattern of the service for the messages of this tool."
        data={PRESETS}
        allowDeselect={false}
        {...form.getInputProps('recoveryPreset')}
      />
      <TextInput
        label="Recovery pattern"
        description="RE2, searched in the title and the message before the pattern of a tool. A match resolves the incident. With a group named recovery, only a match of this group does. The group named key is the dedup key."
        placeholder="^(?:(?P<recovery>RESOLVED)|FIRING) (?P<key>.+)"
        maxLength={512}
        classNames={{ input: 'mono' }}
        {...form.getInputProps('recoveryPattern')}
      />
      <Checkbox
        label="Accept an alias token in the query"
        description="For senders that can set an address only. Proxies on the way may write the token to their logs."
        {...form.getInputProps('allowQueryToken', { type: 'checkbox' })}
      />
    </>
  );
}
