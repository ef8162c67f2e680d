import { Anchor, Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus, Radio } from 'lucide-react';
import type { MouseEvent } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { sourcesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import type { SourceRecord } from '@/api';
import { useWorkspace } from '@/app/workspace';
import { useKeys } from '@/lib/keys';
import { pages } from '@/lib/pages';
import { useNow } from '@/lib/time';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { SeverityBadge } from '@/parts/SeverityBadge';
import { TimeAgo } from '@/parts/TimeAgo';
import { EnabledSwitch } from '@/screens/sources/EnabledSwitch';
import { NewSource } from '@/screens/sources/NewSource';

const QUIET_DAYS = 7;
const COUNT_STOPS_AT = 100_000;

export function SourceList() {
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const [params, setParams] = useSearchParams();
  const query = useInfiniteQuery({
    ...sourcesListInfiniteOptions({ query: { workspaceId: workspace.id, limit: 50, sort: 'name', order: 'asc' } }),
    ...pages,
  });
  const isAdmin = can('admin');
  const add = () => setParams({ new: '' }, { replace: true });
  useKeys('Sources', [{ keys: 'c', label: 'Create a source', run: add }], isAdmin);
  const columns: Column<SourceRecord>[] = [
    {
      header: 'Name',
      cell: (source) => (
        <Anchor
          component={Link}
          href={href(`sources/${source.id}`)}
          onClick={(event: MouseEvent) => event.stopPropagation()}
          fw={600}
          c="var(--text)"
          size="sm"
          tabIndex={-1}
          style={{ overflowWrap: 'anywhere' }}
        >
          {source.name}
        </Anchor>
      ),
    },
    { header: 'Last event', cell: (source) => <LastEvent source={source} />, width: 130 },
    {
      header: 'Events, 24 h',
      cell: (source) => (
        <span className="numbers">
          {source.eventsLast24h.toLocaleString()}
          {source.eventsLast24h >= COUNT_STOPS_AT ? '+' : ''}
        </span>
      ),
      width: 110,
      secondary: true,
    },
    {
      header: 'Default severity',
      cell: (source) => <SeverityBadge severity={source.defaultSeverity} />,
      width: 140,
      secondary: true,
    },
    { header: 'Warnings', cell: (source) => <Warnings source={source} />, width: 100, secondary: true },
    { header: 'Enabled', cell: (source) => <EnabledSwitch source={source} readOnly={!isAdmin} />, width: 80 },
  ];
  const button = isAdmin && (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={add}>
      Create a source
    </Button>
  );
  return (
    <>
      <PageHeader title="Sources" about="Senders of events. Each source has keys of its own.">
        {button}
      </PageHeader>
      <DataTable
        label="Sources"
        columns={columns}
        query={query}
        rowKey={(source) => source.id}
        onOpen={(source) => navigate(href(`sources/${source.id}`))}
        empty={
          <EmptyState icon={Radio} title="No source yet" action={button}>
            A source stands for one sender of events: a script, a monitoring tool, a server.{' '}
            {isAdmin ? 'It gets a key and ready text to paste.' : 'An administrator of the workspace creates sources.'}
          </EmptyState>
        }
      />
      <NewSource opened={params.has('new') && isAdmin} onClose={() => setParams({}, { replace: true })} />
    </>
  );
}

/** When the last event came. A source that fell silent says so in the colour of a warning. */
export function LastEvent({ source }: { source: SourceRecord }) {
  const now = useNow();
  if (source.lastEventAt === null) return <span className="soft">Never</span>;
  const isQuiet = now - Date.parse(source.lastEventAt) > QUIET_DAYS * 86_400_000;
  return (
    <span style={isQuiet ? { color: 'var(--severity-warning)', fontWeight: 600 } : undefined}>
      <TimeAgo at={source.lastEventAt} />
    </span>
  );
}

function Warnings({ source }: { source: SourceRecord }) {
  const count = source.warnings.reduce((sum, each) => sum + each.count, 0);
  if (count === 0) return <span className="soft">None</span>;
  return (
    <span className="numbers" style={{ color: 'var(--severity-warning)', fontWeight: 600 }}>
      {count.toLocaleString()}
    </span>
  );
}
