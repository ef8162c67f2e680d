import { Button, Group, Input, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { PageTargetShape } from '@/api';
import { formFaults } from '@/lib/requests/problems';
import { SEVERITY_WORD } from '@/lib/words/words';
import { Modal } from '@/parts/dialogs';
import { PageSelect } from '@/parts/PageSelect';
import { FormSummary } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { type ByHand, CHOICES, useOpenIncident } from '@/screens/inbox/useOpenIncident';

const LONGEST_TITLE = 256;
const LONGEST_TEXT = 10_000;
const FIELDS = ['title', 'severity', 'text', 'people'];

type Props = { opened: boolean; onClose: () => void };

/** Opens an incident by hand: what is wrong, how bad it is, and who is paged. */
export default function NewIncident({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="New incident">
      {opened && <Form onClose={onClose} />}
    </Modal>
  );
}

function Form({ onClose }: Pick<Props, 'onClose'>) {
  const [title, setTitle] = useState('');
  const [severity, setSeverity] = useState<ByHand['severity']>('ERROR');
  const [text, setText] = useState('');
  const [people, setPeople] = useState<PageTargetShape[]>([]);
  const open = useOpenIncident(onClose);
  const faults = formFaults(open.error, FIELDS);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        open.mutate({ title: title.trim(), severity, text: text.trim(), people });
      }}
    >
      <Stack gap="sm">
        <FormSummary faults={faults.rest} />
        <TextInput
          label="Title"
          required
          maxLength={LONGEST_TITLE}
          placeholder="Checkout is slow"
          value={title}
          data-autofocus
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={faults.fields.title}
        />
        <Input.Wrapper label="Severity" labelElement="div" error={faults.fields.severity}>
          <SegmentedControl
            fullWidth
            aria-label="Severity"
            data={CHOICES.map((value) => ({ value, label: SEVERITY_WORD[value] }))}
            value={severity}
            onChange={setSeverity}
            classNames={{ label: styles.tallLabel }}
          />
        </Input.Wrapper>
        <Textarea
          label="Text"
          description="Optional. What is known so far."
          autosize
          minRows={2}
          maxRows={8}
          maxLength={LONGEST_TEXT}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={faults.fields.text}
        />
        <PageSelect
          label="Page"
          description="Optional. Besides whom your rules notify. Of a schedule, whoever is on call."
          value={people}
          onChange={setPeople}
          error={faults.fields.people}
        />
        <Group justify="flex-end">
          <Button variant="default" mih="var(--target)" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" mih="var(--target)" loading={open.isPending} disabled={title.trim() === ''}>
            {people.length > 0 ? 'Open and page' : 'Open the incident'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
