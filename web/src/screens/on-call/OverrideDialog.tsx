import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { overridesEdit, type OverrideEdit, type OverrideRecord } from '@/api';
import { useMembers } from '@/lib/configuration/members';
import { formFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { Modal } from '@/parts/dialogs';
import { FormSummary } from '@/parts/ProblemAlert';
import { say } from '@/parts/toast';
import { changedFields, formOf, isComplete, type OverrideForm } from '@/screens/on-call/overrideForm';
import { PeriodFields } from '@/screens/on-call/PeriodFields';
import { CHANGED } from '@/screens/on-call/useSchedules';

const FIELDS = ['startsAt', 'endsAt', 'userIds', 'reason'];
const MOST_PEOPLE = 10;

type Props = { override: OverrideRecord | null; onClose: () => void };

/** Changes an override: its people, its time and its reason; once it has begun, its end and its reason. */
export function OverrideDialog({ override, onClose }: Props) {
  return (
    <Modal opened={override !== null} onClose={onClose} title="Edit the override">
      {override && <Form key={override.id} override={override} onClose={onClose} />}
    </Modal>
  );
}

function Form({ override, onClose }: Props & { override: OverrideRecord }) {
  const { can } = useWorkspace();
  const { me } = useSession();
  const members = useMembers();
  const now = useNow();
  const [opened] = useState(() => formOf(override));
  const [form, setForm] = useState<OverrideForm>(opened);
  const set = (part: Partial<OverrideForm>) => setForm({ ...form, ...part });
  const save = useSave(override, onClose);
  const faults = formFaults(save.error, FIELDS);
  const hasBegun = Date.parse(override.startsAt) <= now;
  const sent = changedFields(opened, form);
  // Members put themselves on call, or somebody in their own place.
  const mayChoose = !hasBegun && (can('admin') || override.insteadOf === me.id);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(sent);
      }}
    >
      <Stack gap="sm">
        <FormSummary faults={faults.rest} />
        {hasBegun && (
          <Text size="sm" className="soft">
            The override has begun. Its end and its reason can change.
          </Text>
        )}
        <MultiSelect
          label={override.kind === 'remove' ? 'Not on call' : 'On call'}
          placeholder={form.userIds.length > 0 ? undefined : 'Nobody'}
          searchable
          maxValues={MOST_PEOPLE}
          disabled={!mayChoose}
          data={members.choices}
          value={form.userIds}
          onChange={(userIds) => set({ userIds })}
          error={faults.fields.userIds}
          nothingFoundMessage="No member"
        />
        <PeriodFields form={form} set={set} faults={faults.fields} hasBegun={hasBegun} />
        <Group justify="flex-end">
          <Button variant="default" mih="var(--target)" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            mih="var(--target)"
            loading={save.isPending}
            disabled={!isComplete(form) || Object.keys(sent).length === 0}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useSave(override: OverrideRecord, onSaved: () => void) {
  return useMutation({
    mutationFn: (body: OverrideEdit) =>
      overridesEdit({
        path: { schedule_id: override.scheduleId, override_id: override.id },
        headers: { 'If-Match': `"${override.rev}"` },
        body,
        throwOnError: true,
      }),
    onSuccess: () => {
      say('Override saved');
      onSaved();
    },
    onSettled: () => void refresh(...CHANGED),
  });
}
