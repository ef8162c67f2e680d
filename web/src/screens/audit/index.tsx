import { Button, Group, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { AuditListData, AuditRecord } from '@/api';
import { auditListInfiniteOptions, membersListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/app/workspace';
import { pages } from '@/lib/pages';
import { DataTable, type Column } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { TimeAt } from '@/parts/TimeAgo';
import { EntryDrawer } from '@/screens/audit/EntryDrawer';
import { actionText, SUBJECTS } from '@/screens/audit/actions';

type Filters = NonNullable<AuditListData['query']>;

/** Who changed what, the newest first. The filters are in the address. */
export default function Audit() {
  const { workspace, can } = useWorkspace();
  const [search, setSearch] = useSearchParams();
  const [entry, setEntry] = useState<AuditRecord | null>(null);
  const members = useQuery({
    ...membersListOptions({ path: { workspace_id: workspace.id }, query: { limit: 200 } }),
    enabled: can('admin'),
  });
  const query = useInfiniteQuery({
    ...auditListInfiniteOptions({ path: { workspace_id: workspace.id }, query: { limit: 50, ...filtersOf(search) } }),
    ...pages,
    enabled: can('admin'),
  });
  const set = (name: string, value: string | null) =>
    setSearch((old) => {
      const next = new URLSearchParams(old);
      if (value) next.set(name, value);
      else next.delete(name);
      return next;
    });
  if (!can('admin')) {
    return (
      <>
        <PageHeader title="Audit" />
        <EmptyState icon={ScrollText} title="You need the role admin for the audit log">
          Ask an owner of the workspace for another role.
        </EmptyState>
      </>
    );
  }
  const columns: Column<AuditRecord>[] = [
    { header: 'When', width: 120, cell: (row) => <TimeAt at={row.at} short /> },
    { header: 'Who', cell: (row) => row.actor.name || row.actor.type },
    { header: 'Action', cell: (row) => actionText(row.action) },
    {
      header: 'Target',
      secondary: true,
      cell: (row) => <span style={{ overflowWrap: 'anywhere' }}>{row.target.name || row.target.type}</span>,
    },
    { header: 'Address', width: 150, secondary: true, cell: (row) => <span className="mono">{row.ip}</span> },
  ];
  const filtered = [...search.keys()].length > 0;
  return (
    <>
      <PageHeader title="Audit" about="Entries cannot be changed. They are removed by age alone." />
      <Group px="md" pb="sm" gap="xs" align="flex-end">
        <Select
          label="Subject"
          placeholder="All"
          clearable
          w={170}
          data={SUBJECTS}
          value={search.get('action')}
          onChange={(value) => set('action', value)}
          clearButtonProps={{ 'aria-label': 'All subjects' }}
        />
        <Select
          label="Who"
          placeholder="Everybody"
          clearable
          searchable
          w={190}
          value={search.get('actor')}
          onChange={(value) => set('actor', value)}
          clearButtonProps={{ 'aria-label': 'Everybody' }}
          data={(members.data?.items ?? []).map((each) => ({ value: each.userId, label: each.name }))}
        />
        <TextInput
          label="From"
          type="date"
          w={160}
          value={search.get('since') ?? ''}
          onChange={(event) => set('since', event.currentTarget.value)}
        />
        <TextInput
          label="Until"
          type="date"
          w={160}
          value={search.get('until') ?? ''}
          onChange={(event) => set('until', event.currentTarget.value)}
        />
        {filtered && (
          <Button variant="default" onClick={() => setSearch({})}>
            Clear the filters
          </Button>
        )}
      </Group>
      <DataTable
        label="Audit log"
        query={query}
        rowKey={(row) => row.id}
        columns={columns}
        onOpen={setEntry}
        empty={
          <EmptyState
            icon={ScrollText}
            title="No entry matches"
            action={
              <Button variant="default" onClick={() => setSearch({})}>
                Clear the filters
              </Button>
            }
          />
        }
      />
      <EntryDrawer entry={entry} onClose={() => setEntry(null)} />
    </>
  );
}

function filtersOf(search: URLSearchParams): Filters {
  const day = (name: string, time: string) => {
    const value = search.get(name);
    const at = value ? new Date(`${value}T${time}`) : null;
    return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
  };
  const found = {
    action: search.get('action'),
    actorId: search.get('actor'),
    since: day('since', '00:00:00'),
    until: day('until', '23:59:59'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value));
}
