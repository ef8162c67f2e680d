import { CloseButton, Drawer, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Truck } from 'lucide-react';
import { Link, useLocation, useSearch } from 'wouter';
import type { DeliveryRecord } from '@/api';
import { deliveriesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { useTopmost } from '@/lib/keyboard/topmost';
import type { ScreenProps } from '@/lib/navigation/screen';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/deliveries/Deliveries.module.css';
import { Delivery } from '@/screens/deliveries/Delivery';
import { Filters, useFilters } from '@/screens/deliveries/Filters';
import { Status } from '@/screens/deliveries/Status';
import { answerOf, causeOf, REASONS } from '@/screens/deliveries/words';

function titleOf({ reason, gathered }: DeliveryRecord): string {
  if (reason === 'digest')
    return gathered === 1 ? 'Digest of 1 notification' : `Digest of ${gathered ?? 0} notifications`;
  if (reason === 'on_call') return 'Handoff of an on-call schedule';
  return reason === 'test' ? 'Destination test' : 'Notification without an incident';
}

/** Each notice for each destination. The filters stand in the address; a drawer shows the attempts of one. */
export default function Deliveries({ rest }: ScreenProps) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  const search = useSearch();
  const { filters, since, clear, isFiltered } = useFilters();
  const query = useInfiniteQuery({
    ...deliveriesListInfiniteOptions({
      query: { workspaceId: workspace.id, limit: 50, ...filters, ...(since ? { since } : {}) },
    }),
    ...pages,
  });
  const suffix = search ? `?${search}` : '';
  const id = rest[0] as DeliveryRecord['id'] | undefined;
  const isTopmost = useTopmost(id !== undefined);
  const close = () => navigate(href(`deliveries${suffix}`));
  const columns: Column<DeliveryRecord>[] = columnsOf(href, suffix);
  return (
    <>
      <PageHeader title="Deliveries" about="Every notification to every destination, with its attempts." />
      <Filters />
      <DataTable
        label="Deliveries"
        query={query}
        rowKey={(row) => row.id}
        columns={columns}
        onOpen={(row) => navigate(href(`deliveries/${row.id}${suffix}`))}
        empty={
          isFiltered ? (
            <EmptyState icon={Truck} title="No delivery matches" action={clear}>
              Choose another status, destination, reason or period.
            </EmptyState>
          ) : (
            <EmptyState icon={Truck} title="No delivery yet">
              Deliveries appear when an incident notifies a destination, or when someone tests one.
            </EmptyState>
          )
        }
      />
      <Drawer.Root
        opened={id !== undefined}
        onClose={close}
        closeOnEscape={isTopmost}
        position="right"
        size="lg"
        transitionProps={{ duration: 140 }}
      >
        <Drawer.Overlay />
        <Drawer.Content aria-label="Delivery">
          <Drawer.Body>
            <Group justify="space-between" py="xs">
              <h2 className={classes.title}>Delivery</h2>
              <CloseButton size={44} iconSize={20} aria-label="Close" onClick={close} />
            </Group>
            {id && <Delivery key={id} id={id} onReplayed={(next) => navigate(href(`deliveries/${next}${suffix}`))} />}
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    </>
  );
}

function columnsOf(href: (path: string) => string, suffix: string): Column<DeliveryRecord>[] {
  return [
    {
      header: 'Status',
      width: 130,
      cell: (row) => (
        <Link
          href={href(`deliveries/${row.id}${suffix}`)}
          className={styles.plainLink}
          tabIndex={-1}
          onClick={(event) => event.stopPropagation()}
        >
          <Status delivery={row} />
        </Link>
      ),
    },
    {
      header: 'Notification',
      cell: (row) => (
        <>
          {row.incident ? (
            <Link
              href={href(`incidents/${row.incident.id}`)}
              className={`clip ${classes.subject}`}
              onClick={(event) => event.stopPropagation()}
            >
              {row.incident.title}
            </Link>
          ) : (
            <strong className={styles.block}>{titleOf(row)}</strong>
          )}
          <span className="soft">
            {REASONS[row.reason]}
            {row.replayOf ? ', replayed' : ''}
            <span className={classes.receiver}> · {row.destination.name}</span>
          </span>
        </>
      ),
    },
    {
      header: 'Destination',
      secondary: true,
      cell: (row) => (
        <>
          {row.destination.name}
          {row.destination.deleted && <span className="soft"> (deleted)</span>}
        </>
      ),
    },
    {
      header: 'Attempts',
      width: 100,
      secondary: true,
      cell: (row) => (
        <span className="numbers">
          {row.attempts.length} of {row.attemptsMax}
        </span>
      ),
    },
    {
      header: 'Result',
      secondary: true,
      cell: (row) => <span className="soft">{row.cause ? causeOf(row.cause) : answerOf(row.attempts.at(-1))}</span>,
    },
    {
      header: 'Created',
      width: 110,
      secondary: true,
      cell: (row) => (
        <span className="soft">
          <TimeAgo at={row.createdAt} />
        </span>
      ),
    },
  ];
}
