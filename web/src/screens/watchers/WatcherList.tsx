import { Button, Text } from '@mantine/core';
import { MonitorCheck, Plus } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import type { WatcherRecord } from '@/api';
import { useKeys } from '@/lib/keyboard/keys';
import { useWorkspace } from '@/lib/session/workspace';
import { type Column, DataTable } from '@/parts/DataTable';
import { Modal } from '@/parts/dialogs';
import { EmptyState } from '@/parts/EmptyState';
import { StatusBadge } from '@/parts/heartbeats/StatusBadge';
import filterClasses from '@/parts/lists/Filters.module.css';
import { NameLink } from '@/parts/lists/NameLink';
import { SearchField } from '@/parts/lists/SearchField';
import { PageHeader } from '@/parts/PageHeader';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { CheckMarks } from '@/screens/watchers/CheckMarks';
import { found } from '@/screens/watchers/checks';
import { SetUp } from '@/screens/watchers/SetUp';
import { useWatchers } from '@/screens/watchers/useWatchers';
import classes from '@/screens/watchers/Watchers.module.css';

const ABOUT = 'Hosts that check in with their disks, memory, load and services. A silent host opens an incident.';

/** All watchers with their checks. The search stands in the address. */
export function WatcherList() {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const [params, setParams] = useSearchParams();
  const { query, watchers } = useWatchers();
  const [isOpen, setOpen] = useState(false);
  const words = params.get('q') ?? '';
  const add = () => setOpen(true);
  useKeys('Watchers', [{ keys: 'c', label: 'Watch a host', run: add }]);
  const button = (
    <Button leftSection={<Plus size={15} aria-hidden />} mih="var(--target)" onClick={add}>
      Watch a host
    </Button>
  );
  const isEmpty = query.data !== undefined && watchers.length === 0;
  return (
    <>
      <PageHeader title="Watchers" about={ABOUT}>
        {watchers.length > 0 && button}
      </PageHeader>
      {/* From the start: its key has to work as soon as the screen appears. */}
      {(query.isPending || watchers.length > 0) && (
        <div className={filterClasses.filters} role="search" aria-label="Filters">
          <SearchField
            screen="Watchers"
            label="Search watchers"
            placeholder="Name, host or label"
            words={words}
            onChange={(value) => setParams(value ? { q: value } : {}, { replace: true })}
          />
        </div>
      )}
      {isEmpty ? (
        <FirstWatcher />
      ) : (
        <DataTable
          label="Watchers"
          columns={columns(href)}
          query={{
            ...query,
            data: query.data && { pages: [{ items: found(watchers, words) }] },
            hasNextPage: false,
          }}
          rowKey={(watcher) => watcher.id}
          onOpen={(watcher) => navigate(href(`watchers/${watcher.id}`))}
          empty={
            <EmptyState
              icon={MonitorCheck}
              title="No watcher matches"
              action={
                <Button variant="default" onClick={() => setParams({}, { replace: true })}>
                  Clear the search
                </Button>
              }
            >
              Search for another name, host or label.
            </EmptyState>
          }
        />
      )}
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Watch a host" size="lg">
        <SetUp />
      </Modal>
    </>
  );
}

function FirstWatcher() {
  return (
    <>
      <EmptyState icon={MonitorCheck} title="No watcher yet">
        A watcher notifies you when a host is silent, a disk is nearly full or a service is not running. It is one file
        that checks in every minute. Start it on the host:
      </EmptyState>
      <div className={classes.setUp}>
        <SetUp />
      </div>
    </>
  );
}

function columns(href: (path: string) => string): Column<WatcherRecord>[] {
  return [
    { header: 'Status', width: 110, cell: (watcher) => <StatusBadge status={watcher.status} /> },
    {
      header: 'Name',
      cell: (watcher) => (
        <span className={styles.cell}>
          <NameLink href={href(`watchers/${watcher.id}`)}>{watcher.name}</NameLink>
          {watcher.hostname !== watcher.name && (
            <Text span size="sm" className={`soft ${styles.anywhere}`}>
              {watcher.hostname}
            </Text>
          )}
          <span className={classes.narrow}>
            <CheckMarks checks={watcher.checks} />
          </span>
        </span>
      ),
    },
    { header: 'Checks', width: 260, secondary: true, cell: (watcher) => <CheckMarks checks={watcher.checks} /> },
    {
      header: 'Last check-in',
      width: 130,
      secondary: true,
      cell: (watcher) => <TimeAgo at={watcher.lastCheckInAt} />,
    },
  ];
}
