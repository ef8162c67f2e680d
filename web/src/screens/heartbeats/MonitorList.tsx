import { Anchor, Button, Chip, Select } from '@mantine/core';
import { Activity, HeartPulse, Plus } from 'lucide-react';
import type { MouseEvent } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { MonitorRecord } from '@/api';
import { useNames } from '@/lib/configuration/names';
import { useKeys } from '@/lib/keyboard/keys';
import { useWorkspace } from '@/lib/session/workspace';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { StatusBadge } from '@/parts/heartbeats/StatusBadge';
import { useMonitors } from '@/parts/heartbeats/useMonitors';
import { STATUS_NAMES, STATUSES } from '@/parts/heartbeats/words';
import filterClasses from '@/parts/lists/Filters.module.css';
import { NameLink } from '@/parts/lists/NameLink';
import { SearchField } from '@/parts/lists/SearchField';
import { PageHeader } from '@/parts/PageHeader';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { Bar } from '@/screens/heartbeats/Bar';
import { type Filters, filtersOf, found, ofStatus } from '@/screens/heartbeats/filters';
import classes from '@/screens/heartbeats/Heartbeats.module.css';

const ABOUT = 'Jobs that ping when they run. A missing ping opens an incident.';

/** All monitors with their last runs. Search, status and source stand in the address. */
export function MonitorList() {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const [params, setParams] = useSearchParams();
  const { query, monitors } = useMonitors();
  const isAdmin = can('admin');
  const filters = filtersOf(params);
  const inSearch = found(monitors, filters);
  const add = () => navigate(href('heartbeats/new'));
  useKeys('Heartbeats', [{ keys: 'c', label: 'New heartbeat', run: add }], isAdmin);
  const button = isAdmin && (
    <Button
      component={Link}
      href={href('heartbeats/new')}
      leftSection={<Plus size={15} aria-hidden />}
      mih="var(--target)"
    >
      New heartbeat
    </Button>
  );
  const empty =
    monitors.length === 0 ? (
      <EmptyState icon={HeartPulse} title="No heartbeat monitor yet" action={button}>
        A monitor notifies you when a job does not run, such as a backup or a report. The job pings an address when it
        ends. {isAdmin ? '' : 'Ask a workspace administrator to create one.'}
      </EmptyState>
    ) : (
      <EmptyState
        icon={HeartPulse}
        title="No monitor matches"
        action={
          <Button variant="default" onClick={() => setParams({}, { replace: true })}>
            Clear the filters
          </Button>
        }
      >
        Search for another name, tag or schedule, or choose another status.
      </EmptyState>
    );
  return (
    <>
      <PageHeader title="Heartbeats" about={ABOUT}>
        {monitors.length > 0 && button}
      </PageHeader>
      {/* From the start: its key has to work as soon as the screen appears. */}
      {(query.isPending || monitors.length > 0) && <FilterBar filters={filters} inSearch={inSearch} />}
      <DataTable
        label="Heartbeat monitors"
        columns={columns(href)}
        query={{
          ...query,
          data: query.data && { pages: [{ items: ofStatus(inSearch, filters.status) }] },
          hasNextPage: false,
        }}
        rowKey={(monitor) => monitor.id}
        onOpen={(monitor) => navigate(href(`heartbeats/${monitor.id}`))}
        empty={empty}
      />
    </>
  );
}

function FilterBar({ filters, inSearch }: { filters: Filters; inSearch: readonly MonitorRecord[] }) {
  const [, setParams] = useSearchParams();
  const { sources } = useNames();
  const set = (name: string, value: string | null) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const shown = STATUS_NAMES.map((name) => ({
    name,
    count: inSearch.filter((each) => each.status === name).length,
  })).filter(({ name, count }) => count > 0 || name === filters.status);
  return (
    <div className={filterClasses.filters} role="search" aria-label="Filters">
      <SearchField
        screen="Heartbeats"
        label="Search monitors"
        placeholder="Name, tag or schedule"
        words={filters.words}
        onChange={(words) => set('q', words)}
      />
      {sources.length > 1 && (
        <Select
          aria-label="Source"
          placeholder="Any source"
          clearable
          searchable
          data={sources}
          value={filters.sourceId}
          onChange={(value) => set('source', value)}
          nothingFoundMessage="No source"
        />
      )}
      <Chip.Group value={filters.status ?? 'all'} onChange={(value) => set('status', value === 'all' ? null : value)}>
        <div className={`${classes.next} ${classes.wrapping}`} role="radiogroup" aria-label="Status">
          <Chip value="all" variant="light" size="sm">
            All · {inSearch.length}
          </Chip>
          {shown.map(({ name, count }) => (
            <Chip key={name} value={name} variant="light" size="sm">
              {STATUSES[name].word} · {count}
            </Chip>
          ))}
        </div>
      </Chip.Group>
    </div>
  );
}

function columns(href: (path: string) => string): Column<MonitorRecord>[] {
  return [
    { header: 'Status', width: 110, cell: (monitor) => <StatusBadge status={monitor.status} /> },
    {
      header: 'Name',
      cell: (monitor) => (
        <span className={styles.cell}>
          <NameLink href={href(`heartbeats/${monitor.id}`)}>{monitor.name}</NameLink>
          <span className="soft">{monitor.scheduleText}</span>
          <span className={classes.narrow}>
            <Bar monitor={monitor} />
          </span>
          {monitor.incidentId && (
            <span className={classes.narrow}>
              <IncidentLink monitor={monitor} href={href} />
            </span>
          )}
        </span>
      ),
    },
    { header: 'Last runs', width: 224, secondary: true, cell: (monitor) => <Bar monitor={monitor} /> },
    {
      header: 'Last ping',
      width: 110,
      secondary: true,
      cell: (monitor) =>
        monitor.lastPingAt ? <TimeAgo at={monitor.lastPingAt} /> : <span className="soft">Never</span>,
    },
    {
      header: 'Next due',
      width: 110,
      secondary: true,
      cell: (monitor) =>
        monitor.nextDueAt ? <TimeAgo at={monitor.nextDueAt} /> : <span className="soft">Not expected</span>,
    },
    {
      header: 'Incident',
      width: 110,
      secondary: true,
      cell: (monitor) =>
        monitor.incidentId ? <IncidentLink monitor={monitor} href={href} /> : <span className="soft">None</span>,
    },
  ];
}

function IncidentLink({ monitor, href }: { monitor: MonitorRecord; href: (path: string) => string }) {
  return (
    <Anchor
      component={Link}
      href={href(`incidents/${monitor.incidentId}`)}
      onClick={(event: MouseEvent) => event.stopPropagation()}
      size="sm"
      aria-label={`Incident of ${monitor.name}`}
      className={styles.smallAction}
    >
      <Activity size={14} aria-hidden /> Incident
    </Anchor>
  );
}
