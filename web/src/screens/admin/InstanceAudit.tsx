import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { AuditRecord } from '@/api';
import { auditListInstanceInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { actionText } from '@/parts/audit/actions';
import { EntryDrawer } from '@/parts/audit/EntryDrawer';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';

const COLUMNS: Column<AuditRecord>[] = [
  { header: 'When', width: 130, cell: (row) => <TimeAt at={row.at} short /> },
  { header: 'Who', cell: (row) => row.actor.name || row.actor.type },
  { header: 'Action', cell: (row) => actionText(row.action) },
  {
    header: 'Target',
    secondary: true,
    cell: (row) => <span className={styles.anywhere}>{row.target.name || row.target.type}</span>,
  },
  { header: 'Address', width: 150, secondary: true, cell: (row) => <span className="mono">{row.ip}</span> },
];

/** Acts of administrators and commands on the instance, and sign-ins. Workspaces have separate audit logs. */
export function InstanceAudit() {
  const [entry, setEntry] = useState<AuditRecord | null>(null);
  const query = useInfiniteQuery({ ...auditListInstanceInfiniteOptions({ query: { limit: 50 } }), ...pages });
  return (
    <>
      <DataTable
        label="Instance audit log"
        query={query}
        rowKey={(row) => row.id}
        columns={COLUMNS}
        onOpen={setEntry}
        empty={
          <EmptyState icon={ScrollText} title="No entry yet">
            Administrator actions and sign-ins appear here.
          </EmptyState>
        }
      />
      <EntryDrawer entry={entry} onClose={() => setEntry(null)} />
    </>
  );
}
