import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Building2, Search } from 'lucide-react';
import { useState } from 'react';
import type { TenantRecord } from '@/api';
import { adminWorkspacesInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { DataTable, type Column } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';

const COLUMNS: Column<TenantRecord>[] = [
  {
    header: 'Workspace',
    cell: (row) => (
      <div className={styles.anywhere}>
        <strong>{row.name}</strong>
        <div className={`soft mono ${styles.tiny}`}>{row.slug}</div>
      </div>
    ),
  },
  {
    header: 'State',
    width: 160,
    cell: (row) =>
      row.deletedAt ? (
        <>
          Closed <TimeAgo at={row.deletedAt} />
        </>
      ) : (
        'Active'
      ),
  },
  { header: 'Members', width: 100, cell: (row) => row.members },
  { header: 'Sources', width: 100, secondary: true, cell: (row) => row.sources },
  { header: 'Created', width: 130, secondary: true, cell: (row) => <TimeAgo at={row.createdAt} /> },
];

/** All workspaces by name and size; nothing of what they hold. */
export function Workspaces() {
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), 300);
  const query = useInfiniteQuery({
    ...adminWorkspacesInfiniteOptions({ query: { limit: 50, sort: 'name', order: 'asc', ...(q ? { q } : {}) } }),
    ...pages,
  });
  return (
    <>
      <TextInput
        aria-label="Search workspaces"
        placeholder="Name"
        leftSection={<Search size={15} aria-hidden />}
        value={text}
        mx="md"
        mb="sm"
        maw={320}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <DataTable
        label="Workspaces"
        query={query}
        rowKey={(row) => row.id}
        columns={COLUMNS}
        empty={<EmptyState icon={Building2} title="No workspace matches" />}
      />
    </>
  );
}
