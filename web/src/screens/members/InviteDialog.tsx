import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invitesCreate, type InviteCreated } from '@/api';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { useWorkspace } from '@/lib/session/workspace';
import { Modal } from '@/parts/dialogs';
import { FormSummary } from '@/parts/ProblemAlert';
import { ShowOnce } from '@/parts/ShowOnce';
import { TimeAt } from '@/parts/TimeAgo';
import { refreshLists } from '@/screens/members/refresh';
import { RoleFields } from '@/screens/members/RoleFields';
import type { Role } from '@/screens/members/roles';

type Props = { opened: boolean; onClose: () => void; email?: string };

/** A new invite, to `email` at first. Its link is kept in this state alone, and forgotten when the dialog closes. */
export function InviteDialog({ opened, onClose, email = '' }: Props) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const info = useQuery(infoReadOptions());
  const mails = info.data?.capabilities.includes('mail') ?? false;
  const [created, setCreated] = useState<InviteCreated | null>(null);
  const [busy, setBusy] = useState(false);
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email, role: 'member' },
    validate: {
      email: (value) => (value === '' || /.+@.+/.test(value) ? null : 'Enter an email address or leave this empty.'),
    },
  });
  const close = () => {
    form.reset();
    setRest([]);
    onClose();
  };
  const submit = form.onSubmit(async ({ email, role }) => {
    setBusy(true);
    setRest([]);
    try {
      const { data } = await invitesCreate({
        path: { workspace_id: workspace.id },
        body: { role, email: email.trim() || null },
        throwOnError: true,
      });
      close();
      setCreated(data);
      refreshLists(client);
    } catch (fault) {
      const found = fieldFaults(fault, ['email', 'role']);
      form.setErrors(found.fields);
      setRest(found.rest);
    } finally {
      setBusy(false);
    }
  });
  return (
    <>
      <Modal opened={opened} onClose={close} title={`Invite to ${workspace.name}`}>
        <form onSubmit={submit} noValidate>
          <Stack>
            <FormSummary faults={rest} />
            <TextInput
              label="Email address (optional)"
              type="email"
              autoComplete="off"
              data-autofocus
              description={
                mails
                  ? 'Only this address can accept. The link is also mailed to it.'
                  : 'Only this address can accept. Without one, anyone with the link can.'
              }
              {...form.getInputProps('email')}
            />
            <RoleFields value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={busy}>
                Create the link
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
      <CreatedLink created={created} setCreated={setCreated} />
    </>
  );
}

type CreatedLinkProps = {
  created: InviteCreated | null;
  setCreated: (created: null) => void;
};

/** The link of the invite, which is shown once. */
function CreatedLink({ created, setCreated }: CreatedLinkProps) {
  return (
    <ShowOnce
      title="Invite link"
      secret={created && { label: 'Send this link to the person', value: created.link }}
      onClose={() => setCreated(null)}
    >
      {created && (
        <Text size="sm">
          It works once,{' '}
          {created.email ? (
            <>
              only for <strong>{created.email}</strong>
            </>
          ) : (
            'for the first person who opens it'
          )}
          , until <TimeAt at={created.expiresAt} />.
        </Text>
      )}
    </ShowOnce>
  );
}
