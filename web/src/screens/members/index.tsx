import { Button, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { MemberRecord, MeRecord } from '@/api';
import { membersListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useSession, useWorkspace, type InWorkspace } from '@/lib/session/workspace';
import { DataTable, type Column } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { TimeAgo } from '@/parts/TimeAgo';
import { InviteDialog } from '@/screens/members/InviteDialog';
import { Invites } from '@/screens/members/Invites';
import { MemberMenu } from '@/screens/members/MemberMenu';
import { RemovalDialog, type Removal } from '@/screens/members/RemovalDialog';
import { RoleDialog } from '@/screens/members/RoleDialog';
import { isRole, Person, ROLES, ROLE_WORD, SecondFactor } from '@/screens/members/roles';

/** The people of a workspace with their roles, and the invites that wait. */
export default function Members() {
  const { workspace, can } = useWorkspace();
  const { me } = useSession();
  const [search, setSearch] = useSearchParams();
  const invited = search.get('invite');
  const [inviting, invite] = useDisclosure(invited !== null && can('owner'));
  const [changed, setChanged] = useState<MemberRecord | null>(null);
  const [removal, setRemoval] = useState<Removal | null>(null);
  const role = isRole(search.get('role')) ? search.get('role') : null;
  const query = useInfiniteQuery({
    ...membersListInfiniteOptions({
      path: { workspace_id: workspace.id },
      query: { limit: 50, sort: 'name', order: 'asc', ...(isRole(role) ? { role } : {}) },
    }),
    ...pages,
  });
  const columns: Column<MemberRecord>[] = columnsOf(me, can, setChanged, setRemoval);
  return (
    <>
      <PageHeader
        title="Members"
        about={
          can('owner')
            ? 'Owners change roles and invite or remove people.'
            : `Your role is ${ROLE_WORD[workspace.role].toLowerCase()}. Only owners manage members.`
        }
      >
        <Select
          aria-label="Role"
          placeholder="All roles"
          clearable
          w={150}
          data={ROLES.map((each) => ({ value: each, label: ROLE_WORD[each] }))}
          value={role}
          clearButtonProps={{ 'aria-label': 'Show all roles' }}
          onChange={(value) => setSearch(value ? { role: value } : {})}
        />
        {can('owner') && (
          <Button leftSection={<UserPlus size={16} aria-hidden />} onClick={invite.open}>
            Invite
          </Button>
        )}
      </PageHeader>
      <DataTable
        label="Members"
        query={query}
        rowKey={(member) => member.userId}
        columns={columns}
        empty={
          <EmptyState
            icon={Users}
            title={role ? 'Nobody has this role' : 'No member'}
            action={
              <Button variant="default" onClick={() => setSearch({})}>
                Show all roles
              </Button>
            }
          >
            <Text>Choose another role to see the other members.</Text>
          </EmptyState>
        }
      />
      <Invites onInvite={can('owner') ? invite.open : undefined} />
      <InviteDialog opened={inviting} onClose={invite.close} email={invited ?? ''} />
      <RoleDialog member={changed} onClose={() => setChanged(null)} />
      <RemovalDialog removal={removal} onClose={() => setRemoval(null)} />
    </>
  );
}

function columnsOf(
  me: MeRecord,
  can: InWorkspace['can'],
  setChanged: (member: MemberRecord) => void,
  setRemoval: (removal: Removal) => void,
): Column<MemberRecord>[] {
  return [
    {
      header: 'Person',
      cell: (member) => <Person name={member.name} email={member.email} own={member.userId === me.id} />,
    },
    { header: 'Role', width: 110, cell: (member) => ROLE_WORD[member.role] },
    { header: 'Second factor', secondary: true, width: 150, cell: (member) => <SecondFactor has={member.mfa} /> },
    {
      header: 'Last active',
      secondary: true,
      width: 130,
      cell: (member) => (member.lastSeenAt ? <TimeAgo at={member.lastSeenAt} /> : 'Never'),
    },
    { header: 'Joined', secondary: true, width: 130, cell: (member) => <TimeAgo at={member.joinedAt} /> },
    {
      header: 'Actions',
      width: 60,
      cell: (member) => (
        <MemberMenu
          member={member}
          own={member.userId === me.id}
          isOwner={can('owner')}
          onRole={() => setChanged(member)}
          onRemove={() => setRemoval({ member, own: member.userId === me.id })}
        />
      ),
    },
  ];
}
