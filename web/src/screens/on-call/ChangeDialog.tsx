import { Button, Group, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import type { OverrideNew, ScheduleRecord } from '@/api';
import { useMembers } from '@/lib/configuration/members';
import { formFaults } from '@/lib/requests/problems';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { isMoment, localOf, momentOf } from '@/lib/time/localTime';
import { Modal } from '@/parts/dialogs';
import { FormSummary } from '@/parts/ProblemAlert';
import { isOf } from '@/screens/on-call/cover';
import type { ShownShift } from '@/screens/on-call/past';
import { PeriodFields, reasonOf } from '@/screens/on-call/PeriodFields';
import { useCover } from '@/screens/on-call/useCover';
import { periodText } from '@/screens/on-call/words';

const EVERYBODY = 'everybody';
const NOBODY = 'nobody';
const FIELDS = ['startsAt', 'endsAt', 'userIds', 'insteadOf', 'reason'];

type Props = { scheduleId: ScheduleRecord['id']; shift: ShownShift | null; onClose: () => void };

/** Puts another person on call for a shift, or for a part of it. */
export function ChangeDialog({ scheduleId, shift, onClose }: Props) {
  return (
    <Modal opened={shift !== null} onClose={onClose} title="Change who is on call">
      {shift && <Form scheduleId={scheduleId} shift={shift} onClose={onClose} />}
    </Modal>
  );
}

function useForm(shift: ShownShift) {
  const { me } = useSession();
  const isOwn = isOf(shift, me.id);
  return useState({
    userId: isOwn ? '' : (me.id as string),
    insteadOf: isOwn ? (me.id as string) : (shift.people[0]?.userId ?? EVERYBODY),
    startsAt: localOf(new Date(Math.max(Date.parse(shift.startsAt), Date.now()))),
    endsAt: localOf(new Date(shift.endsAt)),
    reason: '',
  });
}

function Form({ scheduleId, shift, onClose }: Props & { shift: ShownShift }) {
  const { can } = useWorkspace();
  const { me } = useSession();
  const members = useMembers();
  // Members put themselves on call, or somebody in their own place.
  const isFree = can('admin') || isOf(shift, me.id);
  const choices = isFree ? members.choices : members.choices.filter((each) => each.value === me.id);
  const [form, setForm] = useForm(shift);
  const change = useCover(scheduleId);
  const faults = formFaults(change.error, FIELDS);
  const set = (part: Partial<typeof form>) => setForm({ ...form, ...part });
  const isReady = form.userId !== '' && isMoment(form.startsAt) && isMoment(form.endsAt);
  const submit = () => {
    const period = { startsAt: iso(form.startsAt), endsAt: iso(form.endsAt) };
    const body = {
      ...period,
      userIds: form.userId === NOBODY ? [] : [form.userId],
      insteadOf: form.insteadOf === EVERYBODY ? null : form.insteadOf,
      ...reasonOf(form),
    } as OverrideNew;
    const name = form.userId === NOBODY ? 'Nobody' : members.of(form.userId);
    change.mutate({ body, said: `${name} is on call from ${periodText(period)}` }, { onSuccess: onClose });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        <FormSummary faults={faults.rest} />
        <Select
          label="On call"
          required
          searchable
          data={[...choices, ...(can('admin') ? [{ value: NOBODY, label: 'Nobody' }] : [])]}
          value={form.userId || null}
          onChange={(userId) => set({ userId: userId ?? '' })}
          error={faults.fields.userIds}
          nothingFoundMessage="No member"
        />
        {shift.people.length > 1 && (
          <Select
            label="Instead of"
            allowDeselect={false}
            data={[
              { value: EVERYBODY, label: 'Everybody' },
              ...shift.people.map((each) => ({ value: each.userId, label: each.name })),
            ]}
            value={form.insteadOf}
            onChange={(insteadOf) => insteadOf && set({ insteadOf })}
            error={faults.fields.insteadOf}
          />
        )}
        <PeriodFields form={form} set={set} faults={faults.fields} />
        <Group justify="flex-end">
          <Button variant="default" mih="var(--target)" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" mih="var(--target)" loading={change.isPending} disabled={!isReady}>
            Create the override
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A start that was not touched may be a few seconds ago; the service then takes the present time. */
function iso(field: string): string {
  return momentOf(field).toISOString();
}
