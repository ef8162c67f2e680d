import { Switch } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowRight, History } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { heartbeatMonitorsFlipsInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { duration, useNow } from '@/lib/time/time';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { StatusBadge } from '@/parts/heartbeats/StatusBadge';
import { TimeAt } from '@/parts/TimeAgo';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import { causeText, type Lasting, withDurations } from '@/screens/heartbeats/history';
import type { TabProps } from '@/screens/heartbeats/tabProps';

const COLUMNS: Column<Lasting>[] = [
  {
    header: 'Status',
    width: 210,
    cell: (flip) => (
      <span className={classes.statusChange}>
        <StatusBadge status={flip.from} />
        <ArrowRight size={14} color="var(--text-soft)" aria-label="to" role="img" />
        <StatusBadge status={flip.to} />
      </span>
    ),
  },
  { header: 'Cause', secondary: true, cell: causeText },
  { header: 'Lasted', width: 150, cell: (flip) => <Lasted flip={flip} /> },
  { header: 'At', width: 230, secondary: true, cell: (flip) => <TimeAt at={flip.at} /> },
];

/**
 * The changes of status, newest first, with their causes and how long each status lasted. A ping within the grace makes a
 * monitor late for a moment; such changes are shown on request.
 */
export function HistoryTab({ monitor }: TabProps) {
  const [params, setParams] = useSearchParams();
  const withLate = params.has('late');
  const query = useInfiniteQuery({
    ...heartbeatMonitorsFlipsInfiniteOptions({
      path: { monitor_id: monitor.id },
      query: { limit: 50, order: 'desc' },
    }),
    ...pages,
  });
  const rows = withDurations(query.data?.pages.flatMap((page) => page.items) ?? [], withLate);
  return (
    <>
      <div className={classes.history}>
        <Switch
          label="Show changes within the grace"
          checked={withLate}
          onChange={(event) =>
            setParams(event.currentTarget.checked ? { tab: 'history', late: '' } : { tab: 'history' }, {
              replace: true,
            })
          }
        />
      </div>
      <DataTable
        label="Status changes"
        columns={COLUMNS}
        query={{ ...query, data: query.data && { pages: [{ items: rows }] } }}
        rowKey={(flip) => `${flip.at} ${flip.from} ${flip.to}`}
        empty={
          <EmptyState icon={History} title="No change yet">
            Status changes are listed here with their causes.
          </EmptyState>
        }
      />
    </>
  );
}

function Lasted({ flip }: { flip: Lasting }) {
  const now = useNow();
  const seconds = ((flip.until === null ? now : Date.parse(flip.until)) - Date.parse(flip.at)) / 1000;
  return (
    <span className="numbers">
      {duration(Math.max(0, seconds))}
      {flip.until === null && <span className="soft"> until now</span>}
    </span>
  );
}
