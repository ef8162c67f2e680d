import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { snoozeEnd, tomorrowMorning } from '@/lib/time/snooze';
import { shownZone } from '@/lib/time/time';
import { Modal } from '@/parts/dialogs';

type Props = { opened: boolean; onClose: () => void; onChoose: (until: string) => void };

/** Until a time that the person enters. */
export default function SnoozeDialog({ opened, onClose, onChoose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Snooze until">
      <Form onClose={onClose} onChoose={onChoose} />
    </Modal>
  );
}

function Form({ onClose, onChoose }: Omit<Props, 'opened'>) {
  const [field, setField] = useState(() => tomorrowMorning(new Date()));
  const [fault, setFault] = useState('');
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        const end = snoozeEnd(field, new Date());
        if (!end) return setFault('Choose a time in the next 30 days.');
        onChoose(end.toISOString());
        onClose();
      }}
    >
      <Stack>
        <TextInput
          type="datetime-local"
          label="Until"
          description={`Time zone: ${shownZone()}. At most 30 days ahead.`}
          data-autofocus
          value={field}
          error={fault}
          onChange={(event) => {
            setField(event.currentTarget.value);
            setFault('');
          }}
        />
        <Group justify="flex-end">
          <Button variant="default" mih="var(--target)" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" mih="var(--target)">
            Snooze
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
