import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Plus, Waypoints } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { ProfileRecord } from '@/api';
import { profilesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { countOf } from '@/lib/configuration/pageTargets';
import { type Names, useNames } from '@/lib/configuration/names';
import { useKeys } from '@/lib/keyboard/keys';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { duration } from '@/lib/time/time';
import { counted, SEVERITY_WORD } from '@/lib/words/words';
import { DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { Deleted } from '@/parts/history/Deleted';
import { ListSearch } from '@/parts/lists/ListSearch';
import { NameLink } from '@/parts/lists/NameLink';
import { NoMatch } from '@/parts/lists/NoMatch';
import { useListAddress } from '@/parts/lists/useListAddress';
import { PageHeader } from '@/parts/PageHeader';

/** The profiles, with their steps in one sentence and what uses them. */
export function ProfileList() {
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const names = useNames();
  const list = useListAddress('name', 'created');
  const query = useInfiniteQuery({
    ...profilesListInfiniteOptions({ query: { workspaceId: workspace.id, limit: 50, ...list.query } }),
    ...pages,
    placeholderData: keepPreviousData,
  });
  const mayEdit = can('admin');
  useKeys('Profiles', mayEdit ? [{ keys: 'n', label: 'New profile', run: () => navigate(href('profiles/new')) }] : []);
  const create = mayEdit && (
    <Button
      component={Link}
      href={href('profiles/new')}
      leftSection={<Plus size={16} aria-hidden />}
      mih="var(--target)"
    >
      New profile
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Profiles"
        about="Notification steps, repeats and timeouts. Rules, sources and the default route use them."
      >
        {mayEdit && <Deleted kind="profiles" />}
        {create}
      </PageHeader>
      <ListSearch screen="Profiles" words={list.words} onChange={list.search} />
      <DataTable
        label="Profiles"
        sorting={list.sorting}
        query={query}
        rowKey={(row) => row.id}
        onOpen={(row) => navigate(href(`profiles/${row.id}`))}
        empty={
          list.words ? (
            <NoMatch title="No profile matches" onClear={() => list.search('')} />
          ) : (
            <EmptyState icon={Waypoints} title="No profile yet">
              A profile notifies in steps: the chat at once, then the pager after ten minutes without an
              acknowledgement.
            </EmptyState>
          )
        }
        columns={[
          {
            header: 'Name',
            sort: 'name',
            cell: (row) => <NameLink href={href(`profiles/${row.id}`)}>{row.name}</NameLink>,
          },
          { header: 'Steps', cell: (row) => <span className="soft">{stepsOf(row, names)}</span> },
          {
            header: 'Used by',
            width: 190,
            secondary: true,
            cell: (row) => <span className="soft">{usesOf(row)}</span>,
          },
        ]}
      />
    </>
  );
}

/** "at once Chat; after 10 min Pager from error; 1 further round". */
function stepsOf(profile: ProfileRecord, names: Names): string {
  const steps = profile.steps.map((step) => {
    const when = step.afterMinutes === 0 ? 'at once' : `after ${duration(step.afterMinutes * 60)}`;
    const who = [countOf(step.people), ...step.destinationIds.map(names.of)].filter(Boolean).join(', ');
    return `${when} ${who}${step.minSeverity ? ` from ${SEVERITY_WORD[step.minSeverity].toLowerCase()}` : ''}`;
  });
  return [...steps, ...(profile.repeat > 0 ? [counted(profile.repeat, 'further round')] : [])].join('; ');
}

export function usesOf({ usedBy }: ProfileRecord): string {
  const parts = [
    ...(usedBy.defaultRoute ? ['the default route'] : []),
    ...(usedBy.rulesTotal > 0 ? [counted(usedBy.rulesTotal, 'rule')] : []),
    ...(usedBy.sourcesTotal > 0 ? [counted(usedBy.sourcesTotal, 'source')] : []),
  ];
  return parts.join(', ') || 'nothing';
}
