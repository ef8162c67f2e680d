import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Plus, Send } from 'lucide-react';
import { useState, type MouseEvent } from 'react';
import { useSearchParams } from 'wouter';
import type { DestinationKindRecord, DestinationRecord } from '@/api';
import { destinationsListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { useKeys } from '@/lib/keyboard/keys';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { Deleted } from '@/parts/history/Deleted';
import { ListSearch } from '@/parts/lists/ListSearch';
import { NameLink } from '@/parts/lists/NameLink';
import { NoMatch } from '@/parts/lists/NoMatch';
import { useListAddress } from '@/parts/lists/useListAddress';
import { PageHeader } from '@/parts/PageHeader';
import { type Secret, ShowOnce } from '@/parts/ShowOnce';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { DestinationDrawer } from '@/screens/destinations/DestinationDrawer';
import classes from '@/screens/destinations/Destinations.module.css';
import { Health } from '@/screens/destinations/Health';
import { KindIcon } from '@/screens/destinations/KindIcon';
import { targetText, useKinds } from '@/screens/destinations/kinds';
import { TestDialog } from '@/screens/destinations/TestDialog';
import { Untold } from '@/screens/destinations/Untold';

/** Receivers of notices: their health in words, their settings, and a test. */
export default function Destinations() {
  const { workspace, can, href } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const [tested, setTested] = useState<DestinationRecord | null>(null);
  const [secret, setSecret] = useState<Secret | null>(null);
  const list = useListAddress('name', 'created');
  const query = useInfiniteQuery({
    ...destinationsListInfiniteOptions({ query: { workspaceId: workspace.id, limit: 50, ...list.query } }),
    ...pages,
    placeholderData: keepPreviousData,
  });
  const kinds = useKinds();
  const kindOf = (each: DestinationRecord) => kinds?.find(({ kind }) => kind === each.kind);
  const isAdmin = can('admin');
  const add = () => open({ new: '' });
  const open = (change: Record<string, string>) => setParams((old) => ({ ...kept(old), ...change }), { replace: true });
  const edit = (destination: DestinationRecord) => open({ edit: destination.id });
  const addressOf = (destination: DestinationRecord) =>
    `${href('destinations')}?${new URLSearchParams({ ...kept(params), edit: destination.id })}`;
  const edited = query.data?.pages.flatMap((page) => page.items).find((each) => each.id === params.get('edit')) ?? null;
  useKeys('Destinations', [{ keys: 'c', label: 'New destination', run: add }], isAdmin);
  const columns: Column<DestinationRecord>[] = columnsOf(kindOf, addressOf, isAdmin, setTested);
  const button = isAdmin && (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={add}>
      New destination
    </Button>
  );
  return (
    <>
      <PageHeader title="Destinations" about="Where notifications go. Routes, rules and profiles use them.">
        {isAdmin && <Deleted kind="destinations" />}
        {button}
      </PageHeader>
      {kinds && query.data?.pages[0]?.items.length ? <Untold inset="md" /> : null}
      <ListSearch screen="Destinations" words={list.words} onChange={list.search} />
      <DataTable
        label="Destinations"
        sorting={list.sorting}
        columns={columns}
        query={query}
        rowKey={(each) => each.id}
        onOpen={edit}
        empty={
          list.words ? (
            <NoMatch title="No destination matches" onClear={() => list.search('')} />
          ) : (
            <EmptyState icon={Send} title="Without a destination, nobody is notified" action={button}>
              A destination receives notifications, for example by webhook.{' '}
              {isAdmin ? 'Create one, then test it.' : 'Ask a workspace administrator to create one.'}
            </EmptyState>
          )
        }
      />
      <DestinationDrawer
        opened={isAdmin && params.has('new') ? 'new' : edited}
        readOnly={!isAdmin}
        onClose={() => open({})}
        onSecret={setSecret}
        onTest={setTested}
      />
      <TestDialog destination={tested} onClose={() => setTested(null)} />
      <ShowOnce title="Destination secret" secret={secret} onClose={() => setSecret(null)}>
        The receiver verifies each signature with it. Add it to the settings of the receiver.
      </ShowOnce>
    </>
  );
}

/** The words and the order of the list, which stay while a drawer opens and closes. */
function kept(params: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...params].filter(([name]) => name === 'q' || name === 'sort'));
}

function columnsOf(
  kindOf: (each: DestinationRecord) => DestinationKindRecord | undefined,
  addressOf: (destination: DestinationRecord) => string,
  isAdmin: boolean,
  setTested: (destination: DestinationRecord) => void,
): Column<DestinationRecord>[] {
  return [
    { header: 'Name', sort: 'name', cell: (each) => <Name of={each} kind={kindOf(each)} href={addressOf(each)} /> },
    { header: 'Health', cell: (each) => <Health of={each} /> },
    {
      header: 'Last delivery',
      cell: (each) =>
        each.lastDelivery.at ? <TimeAgo at={each.lastDelivery.at} /> : <span className="soft">Never</span>,
      width: 120,
      secondary: true,
    },
    { header: 'Used by', cell: (each) => <span className="soft">{usage(each)}</span>, width: 200, secondary: true },
    ...(isAdmin
      ? [
          {
            header: 'Test',
            width: 80,
            cell: (each: DestinationRecord) => (
              <Button
                variant="default"
                size="xs"
                aria-label={`Test ${each.name}`}
                onClick={(event: MouseEvent) => {
                  event.stopPropagation();
                  setTested(each);
                }}
              >
                Test
              </Button>
            ),
          },
        ]
      : []),
  ];
}

function Name({
  of: each,
  kind,
  href,
}: {
  of: DestinationRecord;
  kind: DestinationKindRecord | undefined;
  href: string;
}) {
  return (
    <span className={classes.destination}>
      <KindIcon kind={kind} />
      <span className={styles.stacked}>
        <NameLink href={href}>{each.name}</NameLink>
        <span className={`clip soft ${styles.tiny}`}>
          {kind?.label} <span className="mono">{targetText(kind, each.config)}</span>
        </span>
      </span>
    </span>
  );
}

/** What names the destination, in words. */
export function usage({ usedBy }: DestinationRecord): string {
  const parts = [
    usedBy.defaultRoute ? 'default route' : '',
    usedBy.rulesTotal ? `${usedBy.rulesTotal} ${usedBy.rulesTotal === 1 ? 'rule' : 'rules'}` : '',
    usedBy.routingProfilesTotal
      ? `${usedBy.routingProfilesTotal} ${usedBy.routingProfilesTotal === 1 ? 'profile' : 'profiles'}`
      : '',
  ].filter(Boolean);
  return parts.join(', ') || 'Nothing';
}
