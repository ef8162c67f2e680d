import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState, type FormEvent } from 'react';
import { workspacesDelete } from '@/api';
import { load } from '@/lib/navigation/base';
import { useWorkspace } from '@/lib/session/workspace';
import { Modal } from '@/parts/dialogs';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';

/** Closing a workspace, after typing its name. */
export function CloseWorkspace() {
  const { workspace } = useWorkspace();
  const [opened, dialog] = useDisclosure(false);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const close = () => {
    setTyped('');
    setFault(null);
    dialog.close();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      await workspacesDelete({ path: { workspace_id: workspace.id }, throwOnError: true });
      load('/');
    } catch (refusal) {
      setFault(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <SettingsSection
      id="close"
      title="Close the workspace"
      about="Keys, deliveries and access stop immediately. Data is removed after seven days. Until then, an operator can restore the workspace."
    >
      <Group>
        <Button color="red" variant="outline" onClick={dialog.open}>
          Close the workspace
        </Button>
      </Group>
      <Modal opened={opened} onClose={close} title={`Close ${workspace.name}`}>
        <form onSubmit={submit}>
          <Stack>
            {fault !== null && <ProblemAlert fault={fault} />}
            <Text size="sm">Sources can no longer send, and no notification is delivered.</Text>
            <TextInput
              label={`Type ${workspace.name} to confirm`}
              autoComplete="off"
              value={typed}
              data-autofocus
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" color="red" loading={busy} disabled={typed.trim() !== workspace.name}>
                Close the workspace
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </SettingsSection>
  );
}
