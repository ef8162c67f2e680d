import { Button } from '@mantine/core';
import { ListFilter, Plus } from 'lucide-react';
import { lazy, useMemo, useRef } from 'react';
import { Link } from 'wouter';
import { useCurrentInView } from '@/lib/keyboard/useCurrentInView';
import { useWorkspace } from '@/lib/session/workspace';
import { More } from '@/parts/DataTable';
import { Later } from '@/parts/Later';
import { SkeletonRows } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { FacetPanel } from '@/screens/inbox/FacetPanel';
import layout from '@/screens/inbox/FacetPanel.module.css';
import classes from '@/screens/inbox/Inbox.module.css';
import { Nothing } from '@/screens/inbox/Nothing';
import { RowList, type RowListHandle } from '@/screens/inbox/RowList';
import { SearchField } from '@/screens/inbox/SearchField';
import { SortMenu } from '@/screens/inbox/SortMenu';
import { sortOf, sortText } from '@/screens/inbox/sorts';
import { TABS } from '@/screens/inbox/tabs';
import { type Bulk, useBulk } from '@/screens/inbox/useBulk';
import { useCursor } from '@/screens/inbox/useCursor';
import { type FilterPanel, useFilterPanel } from '@/screens/inbox/useFilterPanel';
import { type InboxState, useInbox, useSettled } from '@/screens/inbox/useInbox';
import { useInboxKeys } from '@/screens/inbox/useInboxKeys';
import { useIncidentActivity } from '@/screens/inbox/useIncidentActivity';
import { useNewIncident } from '@/screens/inbox/useNewIncident';
import { useSelection } from '@/screens/inbox/useSelection';
import { ViewsMenu } from '@/screens/inbox/ViewsMenu';

const BulkBar = lazy(() => import('@/screens/inbox/BulkBar'));
const FilterDrawer = lazy(() => import('@/screens/inbox/FilterDrawer'));
const NewIncident = lazy(() => import('@/screens/inbox/NewIncident'));

/** The list of incidents: tabs, search, facets, saved views, selection, and all acts by keys. */
export default function Inbox() {
  const { href, can } = useWorkspace();
  const panel = useFilterPanel();
  const inbox = useInbox({ withFacets: panel.isOpen });
  const { shown, waiting, accept } = useSettled(inbox.incidents, inbox.view);
  const activity = useIncidentActivity(shown);
  const ids = useMemo(() => shown.map((each) => each.id as string), [shown]);
  const { selected, toggle, clear } = useSelection(ids);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<RowListHandle>(null);
  const tabs = useCurrentInView(inbox.tab.name);
  const cursor = useCursor(ids, list);
  const mayAct = can('member');
  const byHand = useNewIncident();

  const matchingView = `${inbox.tab.name} ${inbox.text}`;
  const bulk = useBulk({
    selected,
    incidents: shown.filter((each) => selected.has(each.id)),
    matching: inbox.matching,
    view: matchingView,
    clear,
  });
  useInboxKeys({ shown, selected, toggle, clear, cursor, bulk, field, panel, onNew: byHand.open });

  const query = inbox.list;
  return (
    <>
      <Header inbox={inbox} panel={panel} onNew={byHand.open} />
      <SearchField
        ref={field}
        text={inbox.text}
        search={inbox.search}
        names={inbox.names}
        faults={inbox.faults}
        onChange={(q) => inbox.set({ q })}
      />
      <div className={layout.layout} data-filters={panel.isBeside || undefined}>
        {panel.isBeside && (
          <section className={layout.panel} aria-label="Filters">
            <FacetPanel inbox={inbox} />
          </section>
        )}
        <div>
          <Tabs tabs={tabs} inbox={inbox} href={href} clear={clear} />
          <div className={classes.pill} aria-live="polite">
            {waiting > 0 && (
              <Button size="compact-sm" radius="xl" mt={8} onClick={accept}>
                {waiting} new: show
              </Button>
            )}
          </div>
          {query.error && (
            <div className={styles.padded}>
              <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
            </div>
          )}
          {query.isPending && <SkeletonRows />}
          {query.data && shown.length === 0 && !query.hasNextPage && <Nothing inbox={inbox} />}
          <RowList
            ref={list}
            label={inbox.tab.label}
            isBusy={query.isPlaceholderData}
            incidents={shown}
            activity={activity}
            hrefOf={href}
            selected={selected}
            focused={cursor.focused}
            mayAct={mayAct}
            onSelect={toggle}
            onFocus={cursor.put}
          />
          <More query={query} />
          {mayAct && <Selection bulk={bulk} view={matchingView} />}
        </div>
      </div>
      <Dialogs inbox={inbox} panel={panel} byHand={byHand} />
    </>
  );
}

type DialogsProps = { inbox: InboxState; panel: FilterPanel; byHand: ReturnType<typeof useNewIncident> };

/** What lies above the list, once it is opened. */
function Dialogs({ inbox, panel, byHand }: DialogsProps) {
  return (
    <>
      <Later opened={panel.isDrawer}>
        <FilterDrawer panel={panel} inbox={inbox} />
      </Later>
      <Later opened={byHand.isOpen}>
        <NewIncident opened={byHand.isOpen} onClose={byHand.close} />
      </Later>
    </>
  );
}

/** The acts on the selected incidents, while some are selected. */
function Selection({ bulk, view }: { bulk: Bulk; view: string }) {
  const isSome = bulk.incidents.length > 0;
  return <Later opened={isSome}>{isSome && <BulkBar key={view} bulk={bulk} />}</Later>;
}

type TabsProps = {
  tabs: (list: HTMLElement | null) => void;
  inbox: InboxState;
  href: (path: string) => string;
  clear: () => void;
};

/** The tabs by state, with the number of incidents in each. */
function Tabs({ tabs, inbox, href, clear }: TabsProps) {
  const now = sortText(inbox.sort, inbox.tab.name);
  const sortFor = (tab: string) => (now === '' ? '' : sortText(sortOf(now, tab), tab));
  return (
    <nav ref={tabs} className={classes.tabs} aria-label="States">
      {[...TABS, ...(TABS.includes(inbox.tab) ? [] : [inbox.tab])].map((tab) => {
        const count = inbox.counts ? tab.count(inbox.counts) : null;
        const params = new URLSearchParams({
          ...(tab.name === 'open' ? {} : { state: tab.name }),
          ...(inbox.text ? { q: inbox.text } : {}),
          ...(sortFor(tab.name) ? { sort: sortFor(tab.name) } : {}),
        }).toString();
        return (
          <Link
            key={tab.name}
            href={href(`inbox${params ? `?${params}` : ''}`)}
            className={classes.tab}
            aria-current={tab === inbox.tab ? 'page' : undefined}
            onClick={clear}
          >
            {tab.label}
            {count !== null && count > 0 && (
              <span className={`${classes.count} numbers`}>{count.toLocaleString()}</span>
            )}
          </Link>
        );
      })}
    </nav>
  );
}

type HeaderProps = {
  inbox: InboxState;
  panel: FilterPanel;
  /** Null: the person may open no incident. */
  onNew: (() => void) | null;
};

function Header({ inbox, panel, onNew }: HeaderProps) {
  return (
    <>
      <a className="skip" href="#incidents">
        Skip to the list
      </a>
      <PageHeader title="Inbox">
        <ViewsMenu inbox={inbox} />
        <SortMenu sort={inbox.sort} tab={inbox.tab.name} onChange={(sort) => inbox.set({ sort })} />
        <Button
          size="compact-md"
          mih="var(--target)"
          variant="default"
          leftSection={<ListFilter size={15} aria-hidden />}
          aria-expanded={panel.isOpen}
          title="Filters (f)"
          onClick={panel.toggle}
        >
          Filters
        </Button>
        {onNew && (
          <Button
            size="compact-md"
            mih="var(--target)"
            className={classes.new}
            leftSection={<Plus size={15} aria-hidden />}
            aria-label="New incident"
            title="New incident (c)"
            onClick={onNew}
          >
            <span className={classes.newLabel}>New incident</span>
          </Button>
        )}
      </PageHeader>
    </>
  );
}
