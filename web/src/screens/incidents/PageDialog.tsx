import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type IncidentRecord, incidentsPage, type PageTargetShape } from '@/api';
import { formFaults } from '@/lib/requests/problems';
import { refreshIncidents } from '@/live/acts';
import { Modal } from '@/parts/dialogs';
import { PageSelect } from '@/parts/PageSelect';
import { FormSummary } from '@/parts/ProblemAlert';
import { say } from '@/parts/toast';

const LONGEST = 10_000;

type Props = { incident: IncidentRecord; opened: boolean; onClose: () => void };

/** Pages people of one's choice now. */
export default function PageDialog({ incident, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Page people">
      {opened && <Form incident={incident} onClose={onClose} />}
    </Modal>
  );
}

function Form({ incident, onClose }: Omit<Props, 'opened'>) {
  const [people, setPeople] = useState<PageTargetShape[]>([]);
  const [text, setText] = useState('');
  const note = text.trim();
  const page = useMutation({
    mutationFn: () =>
      incidentsPage({
        path: { incident_id: incident.id },
        body: { people, ...(note === '' ? {} : { note }) },
        throwOnError: true,
      }),
    onSuccess: () => {
      say('Paged');
      onClose();
    },
    onSettled: refreshIncidents,
  });
  const faults = formFaults(page.error, ['people', 'note']);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        page.mutate();
      }}
    >
      <Stack gap="sm">
        <FormSummary faults={faults.rest} />
        <PageSelect
          label="Page"
          description="Now, by the notification rules of each person. Of a schedule, whoever is on call."
          value={people}
          onChange={setPeople}
          error={faults.fields.people}
        />
        <Textarea
          label="Note"
          description="Optional. For the timeline."
          autosize
          minRows={2}
          maxRows={6}
          maxLength={LONGEST}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={faults.fields.note}
        />
        <Group justify="flex-end">
          <Button variant="default" mih="var(--target)" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" mih="var(--target)" loading={page.isPending} disabled={people.length === 0}>
            Page now
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
