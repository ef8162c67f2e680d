import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { Link, useSearchParams } from 'wouter';
import type { AuditRecord } from '@/api';
import { auditListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { actionText } from '@/parts/audit/actions';
import { EntryDrawer } from '@/parts/audit/EntryDrawer';
import { DataTable, type Column } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';
import { ExportButton } from '@/screens/audit/ExportButton';
import { FilterBar } from '@/screens/audit/FilterBar';
import { filtersOf } from '@/screens/audit/filters';

/** The audit log of the workspace, the newest first. The filters are in the address. */
export default function Audit() {
  const { workspace, can, href } = useWorkspace();
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search);
  const query = useInfiniteQuery({
    ...auditListInfiniteOptions({ path: { workspace_id: workspace.id }, query: { limit: 50, ...filters } }),
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
  const clear = () => setSearch({});
  const entry = query.data?.pages.flatMap((page) => page.items).find((each) => each.id === search.get('entry')) ?? null;
  const addressOf = (row: AuditRecord) => {
    const next = new URLSearchParams(search);
    next.set('entry', row.id);
    return `${href('audit')}?${next}`;
  };
  if (!can('admin')) {
    return (
      <>
        <PageHeader title="Audit" />
        <EmptyState icon={ScrollText} title="You need the Admin role to view the audit log">
          Ask a workspace owner for the role.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Audit" about="Read-only. Entries are kept until their retention ends.">
        <ExportButton filters={filters} />
      </PageHeader>
      <FilterBar search={search} set={set} clear={clear} />
      <DataTable
        label="Audit log"
        query={query}
        rowKey={(row) => row.id}
        columns={columnsOf(addressOf)}
        onOpen={(row) => set('entry', row.id)}
        empty={
          <EmptyState
            icon={ScrollText}
            title="No entry matches"
            action={
              <Button variant="default" onClick={clear}>
                Clear the filters
              </Button>
            }
          />
        }
      />
      <EntryDrawer
        entry={entry}
        onClose={() => set('entry', null)}
        onFilter={(name, value) => {
          setSearch({ [name]: value });
        }}
      />
    </>
  );
}

function columnsOf(addressOf: (row: AuditRecord) => string): Column<AuditRecord>[] {
  return [
    { header: 'When', width: 120, cell: (row) => <TimeAt at={row.at} short /> },
    { header: 'Who', cell: (row) => row.actor.name || row.actor.type },
    {
      header: 'Action',
      cell: (row) => (
        <Link
          href={addressOf(row)}
          className={styles.plainLink}
          tabIndex={-1}
          onClick={(event) => event.stopPropagation()}
        >
          {actionText(row.action)}
        </Link>
      ),
    },
    {
      header: 'Target',
      secondary: true,
      cell: (row) => <span className={styles.anywhere}>{row.target.name || row.target.type}</span>,
    },
    { header: 'Address', width: 150, secondary: true, cell: (row) => <span className="mono">{row.ip}</span> },
  ];
}
