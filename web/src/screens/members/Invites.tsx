import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { MailPlus } from 'lucide-react';
import { useState } from 'react';
import type { InviteRecord } from '@/api';
import { invitesListInfiniteOptions, invitesWithdrawMutation } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { DataTable, type Column } from '@/parts/DataTable';
import { Modal } from '@/parts/dialogs';
import { EmptyState } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say } from '@/parts/toast';
import { refreshLists } from '@/screens/members/refresh';
import { ROLE_WORD } from '@/screens/members/roles';

const STATE_TEXT: Record<InviteRecord['state'], string> = {
  pending: 'Pending',
  accepted: 'Accepted',
  expired: 'Expired',
};

/** Invites, the newest first. A link cannot be shown again: a lost one is withdrawn, and another is created. */
export function Invites({ onInvite }: { onInvite?: () => void }) {
  const { workspace } = useWorkspace();
  const [withdrawn, setWithdrawn] = useState<InviteRecord | null>(null);
  const query = useInfiniteQuery({
    ...invitesListInfiniteOptions({ path: { workspace_id: workspace.id }, query: { limit: 50 } }),
    ...pages,
  });
  const columns: Column<InviteRecord>[] = [
    { header: 'For', cell: (invite) => <For invite={invite} /> },
    { header: 'Role', width: 110, cell: (invite) => ROLE_WORD[invite.role] },
    {
      header: 'Created',
      secondary: true,
      width: 230,
      cell: (invite) => (
        <>
          <TimeAgo at={invite.createdAt} />
          {invite.createdBy && ` by ${invite.createdBy.name}`}
        </>
      ),
    },
    {
      header: 'Actions',
      width: 120,
      cell: (invite) =>
        onInvite &&
        invite.state === 'pending' && (
          <Button
            size="xs"
            mih="var(--target)"
            variant="default"
            onClick={() => setWithdrawn(invite)}
            aria-label={`Revoke the invite for ${invite.email ?? 'anyone with the link'}`}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <section aria-labelledby="invites" className={styles.section}>
      <Title order={2} id="invites" px="md" pb="xs">
        Invites
      </Title>
      <DataTable
        label="Invites"
        query={query}
        rowKey={(invite) => invite.id}
        columns={columns}
        empty={
          <EmptyState
            icon={MailPlus}
            title="No invite yet"
            action={
              onInvite && (
                <Button variant="default" onClick={onInvite}>
                  Invite someone
                </Button>
              )
            }
          >
            An invite is a link that works once, for seven days. It needs no mail server.
          </EmptyState>
        }
      />
      <Withdrawal invite={withdrawn} onClose={() => setWithdrawn(null)} />
    </section>
  );
}

function For({ invite }: { invite: InviteRecord }) {
  return (
    <div className={styles.anywhere}>
      {invite.email ?? 'Anyone with the link'}
      <div className={`soft ${styles.tiny}`}>
        {STATE_TEXT[invite.state]}
        {invite.state === 'pending' && (
          <>
            , expires <TimeAgo at={invite.expiresAt} />
          </>
        )}
        {invite.acceptedAt && (
          <>
            {' '}
            <TimeAgo at={invite.acceptedAt} />
            {invite.acceptedBy && ` by ${invite.acceptedBy.name}`}
          </>
        )}
      </div>
    </div>
  );
}

function Withdrawal({ invite, onClose }: { invite: InviteRecord | null; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const withdraw = useMutation({
    ...invitesWithdrawMutation(),
    onSuccess: () => {
      say('The invite was revoked');
      refreshLists(client);
      onClose();
    },
  });
  const close = () => {
    withdraw.reset();
    onClose();
  };
  return (
    <Modal opened={invite !== null} onClose={close} title="Revoke the invite">
      {invite && (
        <Stack>
          {withdraw.error && <ProblemAlert fault={withdraw.error} />}
          <Text>The link for {invite.email ?? 'anyone with the link'} stops working immediately.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button
              color="red"
              loading={withdraw.isPending}
              onClick={() => withdraw.mutate({ path: { workspace_id: workspace.id, invite_id: invite.id } })}
            >
              Revoke
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
