import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MemberRecord } from '@/api';
import { membersChangeMutation } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { Modal } from '@/parts/dialogs';
import { say } from '@/parts/toast';
import { MemberProblem } from '@/screens/members/MemberProblem';
import { refreshLists } from '@/screens/members/refresh';
import { RoleFields } from '@/screens/members/RoleFields';
import { ROLE_WORD, type Role } from '@/screens/members/roles';

/** Another role for a member. It applies to their next request. */
export function RoleDialog({ member, onClose }: { member: MemberRecord | null; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [role, setRole] = useState<Role>('member');
  const change = useMutation({
    ...membersChangeMutation(),
    onSuccess: () => {
      say(`${member?.name} is now ${ROLE_WORD[role].toLowerCase()}`);
      refreshLists(client);
      onClose();
    },
  });
  const { reset } = change;
  useEffect(() => {
    if (member) setRole(member.role);
    reset();
  }, [member, reset]);
  return (
    <Modal opened={member !== null} onClose={onClose} title={`Role of ${member?.name ?? ''}`}>
      {member && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ path: { workspace_id: workspace.id, user_id: member.userId }, body: { role } });
          }}
        >
          <Stack>
            <MemberProblem fault={change.error} />
            <RoleFields value={role} onChange={setRole} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={change.isPending} disabled={role === member.role}>
                Change the role
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
