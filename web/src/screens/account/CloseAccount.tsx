import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState, type FormEvent } from 'react';
import { accountClose, type UserRecord } from '@/api';
import { useSession } from '@/app/workspace';
import { isProblem } from '@/lib/problems';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';

/** Closing the account; what stands in the way is said with the page that mends it. */
export function CloseAccount({ me }: { me: UserRecord }) {
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
      await accountClose({ throwOnError: true });
      location.assign('/login');
    } catch (refusal) {
      setFault(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <SettingsSection
      id="close"
      title="Close the account"
      about="Your account, and each workspace that you own alone, end at once. The data are removed after seven days."
    >
      <Group>
        <Button color="red" variant="outline" onClick={dialog.open}>
          Close the account
        </Button>
      </Group>
      <Modal opened={opened} onClose={close} title="Close the account">
        <form onSubmit={submit}>
          <Stack>
            {fault !== null && <Blocker fault={fault} />}
            <Text size="sm">
              You are signed out everywhere, and workspaces that only you own stop accepting events.
            </Text>
            <TextInput
              label={`Type ${me.email} to confirm`}
              autoComplete="off"
              value={typed}
              data-autofocus
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" color="red" loading={busy} disabled={typed.trim() !== me.email}>
                Close the account
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </SettingsSection>
  );
}

function Blocker({ fault }: { fault: unknown }) {
  const { workspaces } = useSession();
  const named =
    isProblem(fault) && fault.code === 'workspace_needs_owner'
      ? workspaces.find((each) => each.id === fault.workspace?.id)
      : undefined;
  return (
    <>
      <ProblemAlert fault={fault} />
      {named && (
        <Button component="a" href={`/w/${named.slug}/members`} variant="default">
          Open the members of {named.name}
        </Button>
      )}
      {isProblem(fault) && fault.code === 'last_instance_admin' && (
        <Button component="a" href="/admin" variant="default">
          Open the people of the instance
        </Button>
      )}
    </>
  );
}
