import { Stack, Textarea, TextInput } from '@mantine/core';
import type { FieldFaults } from '@/lib/requests/problems';
import { ZoneSelect } from '@/parts/ZoneSelect';
import type { ScheduleForm } from '@/screens/on-call/draft';

type Props = { form: ScheduleForm; onChange: (form: ScheduleForm) => void; faults: FieldFaults };

/** The fields of a schedule without its layers. */
export function Fields({ form, onChange, faults }: Props) {
  return (
    <Stack gap="sm" pb="md">
      <TextInput
        label="Name"
        description="The team or the service, such as Backend."
        required
        maxLength={100}
        value={form.name}
        onChange={(event) => onChange({ ...form, name: event.currentTarget.value })}
        error={faults.fields.name}
        data-autofocus={form.name === '' ? true : undefined}
      />
      <Textarea
        label="Description"
        autosize
        maxLength={500}
        value={form.description}
        onChange={(event) => onChange({ ...form, description: event.currentTarget.value })}
        error={faults.fields.description}
      />
      <ZoneSelect
        description="Handoffs keep their time on this clock."
        value={form.timezone}
        onChange={(timezone) => onChange({ ...form, timezone })}
        error={faults.fields.timezone}
      />
    </Stack>
  );
}
