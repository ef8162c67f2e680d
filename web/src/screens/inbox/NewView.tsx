import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ViewRecord } from '@/api';
import { viewsCreateMutation } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { Modal } from '@/parts/dialogs';
import { say } from '@/parts/toast';

const LONGEST_NAME = 100;

type Props = { opened: boolean; onClose: () => void; filters: ViewRecord['filters']; order: number };

/** Saves the tab, the search and the sort under a name. */
export default function NewView({ opened, onClose, filters, order }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Save as a view">
      <Form onClose={onClose} filters={filters} order={order} />
    </Modal>
  );
}

function Form({ onClose, filters, order }: Omit<Props, 'opened'>) {
  const { workspace, can } = useWorkspace();
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const [isDefault, setDefault] = useState(false);
  const create = useMutation({
    ...viewsCreateMutation(),
    onSuccess: (view) => {
      void refresh('viewsList');
      say(`The view “${view.name}” is saved.`);
      onClose();
    },
  });
  const faults = create.error
    ? fieldFaults(create.error, ['name'])
    : { fields: {} as Record<string, string>, rest: [] };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { workspaceId: _, ...saved } = filters;
        create.mutate({
          body: {
            workspaceId: workspace.id,
            list: 'incidents',
            name: name.trim(),
            filters: saved,
            shared,
            isDefault,
            order,
          },
        });
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="Saves the current state, search, filters and sort order of the inbox."
          data-autofocus
          required
          maxLength={LONGEST_NAME}
          value={name}
          error={faults.fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {can('member') && (
          <Checkbox
            label="Share with the workspace"
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
        )}
        <Checkbox
          label="Use as the default view"
          checked={isDefault}
          onChange={(event) => setDefault(event.currentTarget.checked)}
        />
        {faults.rest.map((each) => (
          <Text key={each} size="sm" c="var(--severity-critical)" role="alert">
            {each}
          </Text>
        ))}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
