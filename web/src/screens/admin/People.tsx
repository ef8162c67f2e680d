import { ActionIcon, Menu, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Search, Users } from 'lucide-react';
import { useState } from 'react';
import type { PersonEdit, PersonRecord } from '@/api';
import { adminEditUserMutation, adminUsersInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { isProblem } from '@/lib/requests/problems';
import { DataTable, type Column } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say, sayFault } from '@/parts/toast';
import { GapsDialog, type Gaps } from '@/screens/admin/GapsDialog';

/** All accounts. A disabled person is signed out everywhere. */
export function People() {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [gaps, setGaps] = useState<Gaps | null>(null);
  const [q] = useDebouncedValue(text.trim(), 300);
  const query = useInfiniteQuery({
    ...adminUsersInfiniteOptions({ query: { limit: 50, sort: 'name', order: 'asc', ...(q ? { q } : {}) } }),
    ...pages,
  });
  const edit = useMutation({
    ...adminEditUserMutation(),
    onSuccess: ({ name }) => {
      say(`${name} updated`);
      setGaps(null);
      void client.invalidateQueries({
        predicate: ({ queryKey }) => (queryKey as [{ _id?: string }?])[0]?._id === 'adminUsers',
      });
    },
    onError: (fault, { path }) =>
      isProblem(fault) && fault.usedBy ? setGaps({ userId: path.user_id, detail: fault.detail }) : sayFault(fault),
  });
  const columns: Column<PersonRecord>[] = [
    {
      header: 'Person',
      cell: (row) => (
        <div className={styles.anywhere}>
          <strong>{row.name}</strong>
          <div className={`soft ${styles.tiny}`}>{row.email}</div>
        </div>
      ),
    },
    {
      header: 'State',
      width: 130,
      cell: (row) => (row.disabledAt ? 'Disabled' : row.isInstanceAdmin ? 'Administrator' : 'Active'),
    },
    { header: 'Second factor', width: 130, secondary: true, cell: (row) => (row.mfa ? 'Set' : 'Not set') },
    { header: 'Workspaces', width: 110, secondary: true, cell: (row) => row.workspaces },
    {
      header: 'Last active',
      width: 130,
      secondary: true,
      cell: (row) => (row.lastSeenAt ? <TimeAgo at={row.lastSeenAt} /> : 'Never'),
    },
    {
      header: 'Actions',
      width: 60,
      cell: (row) => <PersonMenu person={row} onEdit={(body) => edit.mutate({ path: { user_id: row.id }, body })} />,
    },
  ];
  return (
    <>
      <TextInput
        aria-label="Search people"
        placeholder="Name or address"
        leftSection={<Search size={15} aria-hidden />}
        value={text}
        mx="md"
        mb="sm"
        maw={320}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <DataTable
        label="People"
        query={query}
        rowKey={(row) => row.id}
        columns={columns}
        empty={<EmptyState icon={Users} title="No matching people" />}
      />
      <GapsDialog
        gaps={gaps}
        onClose={() => setGaps(null)}
        onDisable={(userId) => edit.mutate({ path: { user_id: userId }, body: { disabled: true, leaveGaps: true } })}
      />
    </>
  );
}

function PersonMenu({ person, onEdit }: { person: PersonRecord; onEdit: (edit: PersonEdit) => void }) {
  const disabled = person.disabledAt !== null;
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${person.name}`}>
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onEdit({ isInstanceAdmin: !person.isInstanceAdmin })}>
          {person.isInstanceAdmin ? 'Remove as administrator' : 'Make an administrator'}
        </Menu.Item>
        <Menu.Item onClick={() => onEdit({ disabled: !disabled })}>
          {disabled ? 'Enable the account' : 'Disable the account'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
