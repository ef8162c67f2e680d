import { Button } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import type { Act } from '@/lib/incidents/act';
import { MOST_LIKE, silenceLike } from '@/lib/incidents/silenceLike';
import { useKeys } from '@/lib/keyboard/keys';
import { useCurrentInView } from '@/lib/keyboard/useCurrentInView';
import { useWorkspace } from '@/lib/session/workspace';
import { snoozeKeys } from '@/lib/time/snooze';
import { More } from '@/parts/DataTable';
import { Drawer } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { perform } from '@/live/acts';
import { BulkBar } from '@/screens/inbox/BulkBar';
import { FacetPanel } from '@/screens/inbox/FacetPanel';
import layout from '@/screens/inbox/FacetPanel.module.css';
import classes from '@/screens/inbox/Inbox.module.css';
import { Nothing } from '@/screens/inbox/Nothing';
import { RowList, type RowListHandle } from '@/screens/inbox/RowList';
import { SearchField } from '@/screens/inbox/SearchField';
import { SortMenu } from '@/screens/inbox/SortMenu';
import { sortOf, sortText } from '@/screens/inbox/sorts';
import { TABS } from '@/screens/inbox/tabs';
import { useBulk } from '@/screens/inbox/useBulk';
import { useCursor } from '@/screens/inbox/useCursor';
import { useFilterPanel } from '@/screens/inbox/useFilterPanel';
import { useInbox, useSettled } from '@/screens/inbox/useInbox';
import { useIncidentActivity } from '@/screens/inbox/useIncidentActivity';
import { useSelection } from '@/screens/inbox/useSelection';
import { ViewsMenu } from '@/screens/inbox/ViewsMenu';

/** The list of incidents: tabs, search, facets, saved views, selection, and all acts by keys. */
export default function Inbox() {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
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

  const matchingView = `${inbox.tab.name} ${inbox.text}`;
  const bulk = useBulk({
    selected,
    incidents: shown.filter((each) => selected.has(each.id)),
    matching: inbox.matching,
    view: matchingView,
    clear,
  });
  const focused = () => shown.filter((each) => each.id === cursor.current());
  const act = (what: Act) => {
    if (!mayAct) return;
    if (selected.size > 0) return void bulk.run(what);
    const targets = focused();
    if (targets.length > 0) cursor.move(1);
    void perform(targets, what);
  };
  const withFocused = (run: (id: string) => void) => () => {
    const id = cursor.current();
    if (id !== null) run(id);
  };
  const silence = () => {
    const chosen = selected.size > 0 ? bulk.incidents : focused();
    const incidents = chosen.filter((each) => each.state !== 'resolved');
    if (mayAct && bulk.all === null && incidents.length > 0)
      navigate(href(silenceLike(...incidents.slice(0, MOST_LIKE))));
  };
  useKeys('Inbox', [
    { keys: 'j', label: 'Next', run: () => cursor.move(1) },
    { keys: 'k', label: 'Previous', run: () => cursor.move(-1) },
    { keys: 'o', label: 'Open', run: withFocused((id) => navigate(href(`incidents/${id}`))) },
    { keys: 'x', label: 'Select', run: withFocused((id) => toggle(id)) },
    { keys: 'X', label: 'Select up to here', run: withFocused((id) => toggle(id, true)) },
    { keys: 'a', label: 'Acknowledge', run: () => act({ action: 'acknowledge' }) },
    ...snoozeKeys((until) => act({ action: 'snooze', until })),
    { keys: 'r', label: 'Resolve', run: () => act({ action: 'resolve' }) },
    { keys: 'm', label: 'Silence like this', run: silence },
    { keys: '/', label: 'Search', run: () => field.current?.focus() },
    { keys: 'f', label: 'Show or hide the filters', run: panel.toggle },
    { keys: 'Escape', label: 'Clear the selection', run: clear },
  ]);

  const query = inbox.list;
  const sortFor = (tab: string) => sortText(sortOf(sortText(inbox.sort), tab));
  return (
    <>
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
      </PageHeader>
      <SearchField
        ref={field}
        text={inbox.text}
        search={inbox.search}
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
          <nav ref={tabs} className={classes.tabs} aria-label="States">
            {TABS.map((tab) => {
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
          {mayAct && selected.size > 0 && <BulkBar key={matchingView} bulk={bulk} />}
        </div>
      </div>
      <Drawer
        opened={panel.isDrawer}
        onClose={panel.close}
        size={320}
        title="Filters"
        padding="xs"
        closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
      >
        <FacetPanel inbox={inbox} />
      </Drawer>
    </>
  );
}
