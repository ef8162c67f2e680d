import { Anchor, Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Plus, Radio } from 'lucide-react';
import type { MouseEvent } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { SourceRecord } from '@/api';
import { sourcesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { tokenOf } from '@/lib/incidents/search';
import { useKeys } from '@/lib/keyboard/keys';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { SEVERITY_WORD } from '@/lib/words/words';
import { useNow } from '@/lib/time/time';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { Deleted } from '@/parts/history/Deleted';
import { ListSearch } from '@/parts/lists/ListSearch';
import { NameLink } from '@/parts/lists/NameLink';
import { NoMatch } from '@/parts/lists/NoMatch';
import { useListAddress } from '@/parts/lists/useListAddress';
import { PageHeader } from '@/parts/PageHeader';
import { Sparkline } from '@/parts/Sparkline';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { EnabledSwitch } from '@/screens/sources/EnabledSwitch';
import { FIRST_KIND } from '@/screens/sources/kinds/KindSelect';
import { KindTiles } from '@/screens/sources/kinds/KindTiles';
import { NewSource } from '@/screens/sources/NewSource';
import classes from '@/screens/sources/Sources.module.css';
import { useSourceActivity } from '@/screens/sources/useSourceActivity';

const QUIET_DAYS = 7;
const COUNT_STOPS_AT = 100_000;
const INCIDENTS_STOP_AT = 1_000;

export function SourceList() {
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const [params, setParams] = useSearchParams();
  const list = useListAddress('name', 'created');
  const query = useInfiniteQuery({
    ...sourcesListInfiniteOptions({ query: { workspaceId: workspace.id, limit: 50, ...list.query } }),
    ...pages,
    placeholderData: keepPreviousData,
  });
  const counts = useSourceActivity(query.data?.pages.map((page) => page.items.map((source) => source.id)) ?? []);
  const isAdmin = can('admin');
  const add = () => setParams({ new: '' }, { replace: true });
  useKeys('Sources', [{ keys: 'c', label: 'New source', run: add }], isAdmin);
  const columns: Column<SourceRecord>[] = columnsOf(href, counts, isAdmin);
  const button = isAdmin && (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={add}>
      New source
    </Button>
  );
  return (
    <>
      <PageHeader title="Sources" about="Event senders. Each source has its own keys.">
        {isAdmin && <Deleted kind="sources" />}
        {isAdmin && (
          <Button component={Link} href={href('sources/import')} variant="default">
            Import
          </Button>
        )}
        {button}
      </PageHeader>
      <ListSearch screen="Sources" words={list.words} onChange={list.search} />
      <DataTable
        label="Sources"
        sorting={list.sorting}
        columns={columns}
        query={query}
        rowKey={(source) => source.id}
        onOpen={(source) => navigate(href(`sources/${source.id}`))}
        empty={
          list.words ? (
            <NoMatch title="No source matches" onClear={() => list.search('')} />
          ) : (
            <>
              <EmptyState icon={Radio} title="No source yet" action={button}>
                A source stands for one sender of events: a script, a monitoring tool, a server.{' '}
                {isAdmin ? 'It gets a key and snippets to paste.' : 'Ask a workspace administrator to create one.'}
              </EmptyState>
              {isAdmin && <KindTiles />}
            </>
          )
        }
      />
      <NewSource
        opened={params.has('new') && isAdmin}
        kind={params.get('sender') ?? FIRST_KIND}
        onKind={(kind) => setParams({ new: '', ...(kind === FIRST_KIND ? {} : { sender: kind }) }, { replace: true })}
        onClose={() => setParams({}, { replace: true })}
      />
    </>
  );
}

function columnsOf(
  href: (path: string) => string,
  counts: ReturnType<typeof useSourceActivity>,
  isAdmin: boolean,
): Column<SourceRecord>[] {
  return [
    {
      header: 'Name',
      sort: 'name',
      cell: (source) => <NameLink href={href(`sources/${source.id}`)}>{source.name}</NameLink>,
    },
    { header: 'Last event', cell: (source) => <LastEvent source={source} />, width: 130 },
    {
      header: 'Events, 24 h',
      cell: (source) => (
        <span className={styles.line}>
          <span className={`numbers ${classes.total}`}>
            {source.eventsLast24h.toLocaleString()}
            {source.eventsLast24h >= COUNT_STOPS_AT ? '+' : ''}
          </span>
          <Sparkline counts={counts.get(source.id)} />
        </span>
      ),
      width: 170,
      secondary: true,
    },
    { header: 'Open incidents', cell: (source) => <OpenIncidents source={source} />, width: 130, secondary: true },
    ...(isAdmin
      ? [{ header: 'Keys', cell: (source: SourceRecord) => <Keys source={source} />, width: 120, secondary: true }]
      : []),
    {
      header: 'Default severity',
      cell: (source) => <span className="soft">{SEVERITY_WORD[source.defaultSeverity]}</span>,
      width: 140,
      secondary: true,
    },
    { header: 'Warnings, 24 h', cell: (source) => <Warnings source={source} />, width: 120, secondary: true },
    { header: 'Enabled', cell: (source) => <EnabledSwitch source={source} readOnly={!isAdmin} />, width: 80 },
  ];
}

/** When the last event came. A source that fell silent says so in the colour of a warning. */
export function LastEvent({ source }: { source: SourceRecord }) {
  const now = useNow();
  if (source.lastEventAt === null) return <span className="soft">Never</span>;
  const isQuiet = now - Date.parse(source.lastEventAt) > QUIET_DAYS * 86_400_000;
  return (
    <span className={isQuiet ? classes.warningStrong : undefined}>
      <TimeAgo at={source.lastEventAt} />
    </span>
  );
}

/** How many incidents of the source are open, with the way to them. */
export function OpenIncidents({ source }: { source: SourceRecord }) {
  const { href } = useWorkspace();
  if (source.openIncidents === 0) return <span className="soft">None</span>;
  return (
    <Anchor
      component={Link}
      href={`${href('inbox')}?q=${encodeURIComponent(tokenOf('source', source.id))}`}
      onClick={(event: MouseEvent) => event.stopPropagation()}
      size="sm"
      underline="always"
      className="numbers"
    >
      {source.openIncidents.toLocaleString()}
      {source.openIncidents >= INCIDENTS_STOP_AT ? '+' : ''}
    </Anchor>
  );
}

/** The keys that work. A source without one receives nothing. */
function Keys({ source }: { source: SourceRecord }) {
  if (!source.keys) return null;
  const { active, ending } = source.keys;
  if (active + ending === 0) {
    return <span className={classes.warningStrong}>No key</span>;
  }
  return (
    <span className="numbers">
      {active.toLocaleString()}
      {ending > 0 ? `, ${ending.toLocaleString()} ending` : ''}
    </span>
  );
}

function Warnings({ source }: { source: SourceRecord }) {
  const count = source.warningsLast24h;
  if (count === 0) return <span className="soft">None</span>;
  return <span className={`numbers ${classes.warningStrong}`}>{count.toLocaleString()}</span>;
}
