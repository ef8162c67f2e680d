import { Button, Group, Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { forwardingsCreate, type ForwardingNew } from '@/api';
import { useMembers } from '@/lib/configuration/members';
import { formFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { isMoment, localOf, momentOf } from '@/lib/time/localTime';
import { Modal } from '@/parts/dialogs';
import { FormSummary } from '@/parts/ProblemAlert';
import { sayWithUndo } from '@/parts/toast';
import { end } from '@/screens/on-call/endForwarding';
import { PeriodFields, reasonOf } from '@/screens/on-call/PeriodFields';
import { CHANGED } from '@/screens/on-call/useSchedules';

const FIELDS = ['userId', 'to', 'startsAt', 'endsAt', 'reason'];

type ForwardForm = { userId: string; to: string; startsAt: string; endsAt: string; reason: string };
type Props = { opened: boolean; onClose: () => void };

/** Puts another person on call in all schedules, such as for holidays. */
export function ForwardDialog({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Forward shifts">
      {opened && <Form onClose={onClose} />}
    </Modal>
  );
}

function Form({ onClose }: { onClose: () => void }) {
  const { can } = useWorkspace();
  const { me } = useSession();
  const members = useMembers();
  const [form, setForm] = useState<ForwardForm>({
    userId: me.id,
    to: '',
    startsAt: localOf(new Date()),
    endsAt: '',
    reason: '',
  });
  const forward = useForward(members.of);
  const faults = formFaults(forward.error, FIELDS);
  const set = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const isReady = form.to !== '' && isMoment(form.startsAt) && isMoment(form.endsAt);
  const submit = () =>
    forward.mutate(
      {
        userId: form.userId as ForwardingNew['userId'],
        to: form.to as ForwardingNew['to'],
        startsAt: momentOf(form.startsAt).toISOString(),
        endsAt: momentOf(form.endsAt).toISOString(),
        ...reasonOf(form),
      },
      { onSuccess: onClose },
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        <FormSummary faults={faults.rest} />
        {can('admin') && (
          <Select
            label="Shifts of"
            searchable
            allowDeselect={false}
            data={members.choices}
            value={form.userId}
            onChange={(userId) => userId && set({ userId })}
            error={faults.fields.userId}
            nothingFoundMessage="No member"
          />
        )}
        <Select
          label="To"
          description="On call instead, in all schedules of the workspace."
          required
          searchable
          data={members.choices.filter((each) => each.value !== form.userId)}
          value={form.to || null}
          onChange={(to) => set({ to: to ?? '' })}
          error={faults.fields.to}
          nothingFoundMessage="No member"
        />
        <PeriodFields form={form} set={set} faults={faults.fields} />
        <Group justify="flex-end">
          <Button variant="default" mih="var(--target)" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" mih="var(--target)" loading={forward.isPending} disabled={!isReady}>
            Forward the shifts
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useForward(nameOf: (userId: string) => string) {
  const { workspace } = useWorkspace();
  return useMutation({
    mutationFn: async (fields: Omit<ForwardingNew, 'workspaceId'>) =>
      (await forwardingsCreate({ body: { ...fields, workspaceId: workspace.id }, throwOnError: true })).data,
    onSuccess: (made) => {
      sayWithUndo(`Shifts of ${nameOf(made.userId)} go to ${nameOf(made.to)}`, () => void end(made));
      void refresh(...CHANGED);
    },
  });
}
