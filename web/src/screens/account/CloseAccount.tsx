import { Alert, Anchor, Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { accountClose, type ClosingRecord, type UserRecord } from '@/api';
import { accountReadBlockersOptions } from '@/api/@tanstack/react-query.gen';
import { below } from '@/lib/navigation/base';
import { leave } from '@/lib/session/auth';
import { useSession } from '@/lib/session/workspace';
import { Modal } from '@/parts/dialogs';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';

/** Closing the account, once nothing prevents it. Each reason has a link to the page where it can be removed. */
export function CloseAccount({ me }: { me: UserRecord }) {
  const [opened, dialog] = useDisclosure(false);
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const closing = useQuery({ ...accountReadBlockersOptions(), enabled: opened, staleTime: 0 });
  const isFree = closing.isSuccess && !isPrevented(closing.data);
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
      await leave('/login');
    } catch (refusal) {
      setFault(refusal);
      void closing.refetch();
    } finally {
      setBusy(false);
    }
  };
  return (
    <SettingsSection
      id="close"
      title="Close the account"
      about="Closes your account, and every workspace that only you own, immediately. Data is removed after seven days."
    >
      <Group>
        <Button color="red" variant="outline" onClick={dialog.open}>
          Close the account
        </Button>
      </Group>
      <Modal opened={opened} onClose={close} title="Close the account">
        <form onSubmit={submit}>
          <Stack>
            {(fault ?? closing.error) !== null && <ProblemAlert fault={fault ?? closing.error} />}
            {closing.data && isPrevented(closing.data) && <Reasons closing={closing.data} />}
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
              <Button type="submit" color="red" loading={busy} disabled={!isFree || typed.trim() !== me.email}>
                Close the account
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </SettingsSection>
  );
}

function isPrevented({ workspaces, isLastAdministrator }: ClosingRecord): boolean {
  return workspaces.length > 0 || isLastAdministrator;
}

/** All that prevents closing the account. */
function Reasons({ closing }: { closing: ClosingRecord }) {
  const { workspaces } = useSession();
  const slugs = new Map(workspaces.map((each) => [each.id, each.slug]));
  return (
    <Alert variant="outline" color="yellow">
      <Text size="sm" fw={600} mb={4}>
        The account cannot be closed yet
      </Text>
      <List size="sm" aria-label="Reasons the account cannot be closed">
        {closing.workspaces.map(({ id, name }) => (
          <List.Item key={id}>
            {name} has other members and no other owner.{' '}
            <Anchor href={below(`/w/${slugs.get(id)}/members`)} size="sm" underline="always">
              Make a member of {name} an owner
            </Anchor>
          </List.Item>
        ))}
        {closing.isLastAdministrator && (
          <List.Item>
            You are the only administrator of the instance.{' '}
            <Anchor href={below('/admin')} size="sm" underline="always">
              Make someone else an administrator
            </Anchor>
          </List.Item>
        )}
      </List>
    </Alert>
  );
}
