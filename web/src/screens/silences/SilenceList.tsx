import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { BellOff, Plus } from 'lucide-react';
import { useRef } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { SilenceRecord } from '@/api';
import { silencesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { useKeys } from '@/lib/keyboard/keys';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { More } from '@/parts/DataTable';
import { EmptyState, SkeletonRows } from '@/parts/EmptyState';
import { Deleted } from '@/parts/history/Deleted';
import { ListSearch } from '@/parts/lists/ListSearch';
import { NoMatch } from '@/parts/lists/NoMatch';
import { useListAddress } from '@/parts/lists/useListAddress';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { SilenceRow } from '@/screens/silences/SilenceRow';
import classes from '@/screens/silences/Silences.module.css';
import { Week } from '@/screens/silences/Week';

const TABS: readonly {
  state: SilenceRecord['state'];
  label: string;
  empty: string;
  about: string;
  order: 'asc' | 'desc';
}[] = [
  {
    state: 'active',
    label: 'Active',
    empty: 'No silence is active',
    about: 'A silence keeps matching incidents from sending notifications until it ends. Events are still counted.',
    order: 'asc',
  },
  {
    state: 'pending',
    label: 'Scheduled',
    empty: 'No silence is scheduled',
    about: 'A silence can start later and can repeat, for example for weekly maintenance.',
    order: 'asc',
  },
  {
    state: 'expired',
    label: 'Ended',
    empty: 'No silence has ended',
    about: 'Ended silences stay here, with their authors and reasons.',
    order: 'desc',
  },
];

/** Silences by state: active, scheduled and ended. */
export function SilenceList() {
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const names = useNames();
  const list = useRef<HTMLUListElement>(null);
  const { words: q, search } = useListAddress('endsAt');
  const tab = TABS.find((each) => each.state === params.get('state')) ?? TABS[0]!;
  const query = useInfiniteQuery({
    ...silencesListInfiniteOptions({
      query: {
        workspaceId: workspace.id,
        state: tab.state,
        sort: 'endsAt',
        order: tab.order,
        limit: 50,
        ...(q ? { q } : {}),
      },
    }),
    ...pages,
    placeholderData: keepPreviousData,
  });
  const silences = query.data?.pages.flatMap((page) => page.items) ?? [];
  const mayEdit = can('member');
  const focus = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-title]') ?? [])];
    const at = links.findIndex((each) => each.closest('li')?.contains(document.activeElement));
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  useKeys('Silences', [
    { keys: 'j', label: 'Next silence', run: () => focus(1) },
    { keys: 'k', label: 'Previous silence', run: () => focus(-1) },
    ...(mayEdit ? [{ keys: 'n', label: 'New silence', run: () => navigate(href('silences/new')) }] : []),
  ]);
  const create = mayEdit && (
    <Button
      component={Link}
      href={href('silences/new')}
      leftSection={<Plus size={16} aria-hidden />}
      mih="var(--target)"
    >
      New silence
    </Button>
  );
  return (
    <>
      <PageHeader title="Silences" about="Periods when matching incidents send no notifications.">
        {mayEdit && <Deleted kind="silences" />}
        {create}
      </PageHeader>
      <ListSearch screen="Silences" placeholder="Comment or match" words={q} onChange={search} />
      <Tabs href={href} tab={tab} />
      {query.error && (
        <div className={styles.padded}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      {query.isPending && <SkeletonRows count={4} />}
      {query.data && silences.length === 0 && !query.hasNextPage && (
        <Empty tab={tab} isSearched={q !== ''} onClear={() => search('')} />
      )}
      {tab.state !== 'expired' && <Week silences={silences} />}
      {silences.length > 0 && (
        <ul className={classes.list} ref={list} aria-label={`${tab.label} silences`}>
          {silences.map((each) => (
            <SilenceRow
              key={each.id}
              silence={each}
              names={names}
              mayEdit={mayEdit}
              onChanged={() => query.refetch()}
            />
          ))}
        </ul>
      )}
      <More query={query} />
    </>
  );
}

type TabsProps = {
  href: (path: string) => string;
  tab: (typeof TABS)[number];
};

function Tabs({ href, tab }: TabsProps) {
  return (
    <nav className={classes.tabs} aria-label="States">
      {TABS.map((each) => (
        <Link
          key={each.state}
          href={href(`silences${each === TABS[0] ? '' : `?state=${each.state}`}`)}
          className={classes.tab}
          aria-current={each === tab ? 'page' : undefined}
        >
          {each.label}
        </Link>
      ))}
    </nav>
  );
}

type EmptyProps = { tab: (typeof TABS)[number]; isSearched: boolean; onClear: () => void };

function Empty({ tab, isSearched, onClear }: EmptyProps) {
  if (isSearched) return <NoMatch title="No silence matches" onClear={onClear} />;
  return (
    <EmptyState icon={BellOff} title={tab.empty}>
      {tab.about}
    </EmptyState>
  );
}
