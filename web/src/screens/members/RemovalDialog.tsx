import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { membersLeave, membersRemove, type MemberRecord } from '@/api';
import { load } from '@/lib/navigation/base';
import { isProblem } from '@/lib/requests/problems';
import { useWorkspace } from '@/lib/session/workspace';
import { Modal } from '@/parts/dialogs';
import { say } from '@/parts/toast';
import { MemberProblem } from '@/screens/members/MemberProblem';
import { refreshLists } from '@/screens/members/refresh';

export type Removal = { member: MemberRecord; own: boolean };

/** Removing a member, or leaving. Neither can be undone without a new invite. */
export function RemovalDialog({ removal, onClose }: { removal: Removal | null; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [fault, setFault] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => setFault(null), [removal]);
  const leaveGaps = isProblem(fault) && fault.usedBy?.schedulesTotal !== undefined;
  const run = async ({ member, own }: Removal) => {
    setBusy(true);
    setFault(null);
    try {
      if (own) {
        await membersLeave({ path: { workspace_id: workspace.id }, query: { leaveGaps }, throwOnError: true });
        load('/');
        return;
      }
      await membersRemove({
        path: { workspace_id: workspace.id, user_id: member.userId },
        query: { leaveGaps },
        throwOnError: true,
      });
      say(`${member.name} was removed`);
      refreshLists(client);
      onClose();
    } catch (refusal) {
      setFault(refusal);
    } finally {
      setBusy(false);
    }
  };
  const own = removal?.own ?? false;
  return (
    <Modal
      opened={removal !== null}
      onClose={onClose}
      title={own ? `Leave ${workspace.name}` : `Remove ${removal?.member.name ?? ''}`}
    >
      {removal && (
        <Stack>
          <MemberProblem fault={fault} />
          <Text>
            {own
              ? 'You lose access to this workspace immediately.'
              : `${removal.member.name} loses access to this workspace immediately.`}{' '}
            {own ? 'Your' : 'Their'} incidents become unassigned, and {own ? 'your' : 'their'} personal views are
            deleted. Rejoining requires a new invite.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button color="red" loading={busy} onClick={() => void run(removal)}>
              {leaveGaps ? `${own ? 'Leave' : 'Remove'} and leave gaps` : own ? 'Leave the workspace' : 'Remove'}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
