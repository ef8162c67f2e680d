import { Anchor, Group, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Link, Redirect, useLocation, useSearchParams } from 'wouter';
import type { IncidentRecord } from '@/api';
import { incidentsReadOptions } from '@/api/@tanstack/react-query.gen';
import { listed } from '@/lib/incidents/listed';
import { neighbours } from '@/lib/incidents/neighbours';
import { useKeys } from '@/lib/keyboard/keys';
import type { ScreenProps } from '@/lib/navigation/screen';
import { useWorkspace } from '@/lib/session/workspace';
import { CopyButton } from '@/parts/CopyButton';
import { SkeletonRows } from '@/parts/EmptyState';
import { firingNote, stateNote } from '@/parts/incidentNotes';
import { NotifiedNobody } from '@/parts/NotifiedNobody';
import { NotifyNow } from '@/live/NotifyNow';
import { instanceName } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import { SeverityBadge } from '@/parts/SeverityBadge';
import { StateChip } from '@/parts/StateChip';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { Undelivered } from '@/parts/Undelivered';
import { Acts } from '@/screens/incidents/Acts';
import { Alerts } from '@/screens/incidents/Alerts';
import { Facts } from '@/screens/incidents/Facts';
import { FactsLine } from '@/screens/incidents/FactsLine';
import classes from '@/screens/incidents/Incident.module.css';
import { Pages, usePages } from '@/screens/incidents/Pages';
import { Timeline } from '@/screens/incidents/Timeline';
import { type Report, useReport } from '@/screens/incidents/useReport';
import { WhatHappened } from '@/screens/incidents/WhatHappened';

const Events = lazy(() => import('@/screens/incidents/Events'));
const Notices = lazy(() => import('@/screens/incidents/Notices'));
const Why = lazy(() => import('@/screens/incidents/Why'));

const TABS = [
  { name: 'timeline', label: 'Timeline', content: Timeline },
  { name: 'events', label: 'Events', content: Events },
  { name: 'notices', label: 'Notifications', content: Notices },
  { name: 'why', label: 'Routing', content: Why },
];

/** One incident: its acts stay in sight, the story at the left, the facts at the right. */
export default function IncidentScreen({ rest }: ScreenProps) {
  const { inbox, href } = useWorkspace();
  const [, navigate] = useLocation();
  const id = rest[0] as IncidentRecord['id'] | undefined;
  const client = useQueryClient();
  const query = useQuery({
    ...incidentsReadOptions({ path: { incident_id: id ?? 'inc_' } }),
    enabled: id !== undefined,
    placeholderData: () => (id === undefined ? undefined : listed(client, id)),
  });
  const go = (to: IncidentRecord['id'] | null, end: string) =>
    to ? navigate(href(`incidents/${to}`), { replace: true }) : say(end);
  useKeys('List', [
    { keys: 'u', label: 'Back to the inbox', run: () => navigate(inbox) },
    {
      keys: 'j',
      label: 'Next incident',
      run: () => id && go(neighbours(client, id).next, 'This is the last incident in the list.'),
    },
    {
      keys: 'k',
      label: 'Previous incident',
      run: () => id && go(neighbours(client, id).previous, 'This is the first incident in the list.'),
    },
  ]);
  if (id === undefined) return <Redirect to={inbox} replace />;
  if (query.data) return <Shown key={id} incident={query.data} stale={query.error} />;
  return (
    <RecordState key={id} query={query} noun="incident" back={{ href: inbox, label: 'Back to the inbox' }}>
      Incidents are removed when their retention ends.
    </RecordState>
  );
}

function Shown({ incident, stale }: { incident: IncidentRecord; stale: unknown }) {
  const { inbox, can } = useWorkspace();
  const report = useReport(incident);
  // Pages that came later would move what is being read.
  const paged = usePages(incident);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `#${incident.number} ${incident.title} · ${instanceName()}`;
  }, [incident.number, incident.title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [incident.id]);
  return (
    <article>
      <header className={classes.head}>
        <Group gap={8} wrap="nowrap">
          <Anchor component={Link} href={inbox} size="sm" aria-label="Back to the inbox" className={styles.action}>
            <ArrowLeft size={15} aria-hidden /> Inbox
          </Anchor>
          <span className={`soft numbers ${styles.small}`}>#{incident.number}</span>
          <CopyButton value={incident.url} label="Copy the link" />
        </Group>
        <h1 className={classes.title} ref={heading} tabIndex={-1}>
          {incident.title}
        </h1>
        <Group justify="space-between" gap="sm">
          <Signs incident={incident} />
          {can('member') && <Acts incident={incident} />}
        </Group>
        {stale ? (
          <div className={styles.below}>
            <ProblemAlert fault={stale} />
          </div>
        ) : null}
      </header>
      <div className={classes.columns}>
        <div className={classes.story}>
          {report.isLoading || paged.isLoading ? (
            <SkeletonRows count={6} />
          ) : (
            <Story incident={incident} report={report} />
          )}
        </div>
        <Facts incident={incident} />
      </div>
    </article>
  );
}

/** What is wrong first, then what was done about it. */
function Story({ incident, report }: { incident: IncidentRecord; report: Report }) {
  const [params, setParams] = useSearchParams();
  const tab = TABS.find((each) => each.name === params.get('tab')) ?? TABS[0]!;
  return (
    <>
      <WhatHappened incident={incident} report={report} />
      <FactsLine incident={incident} />
      <Alerts incident={incident} />
      <Pages incident={incident} />
      <Tabs
        value={tab.name}
        onChange={(name) => setParams(name && name !== 'timeline' ? { tab: name } : {}, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="sm">
          {TABS.map((each) => (
            <Tabs.Tab key={each.name} value={each.name} mih="var(--target)">
              {each.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map((each) => (
          <Tabs.Panel key={each.name} value={each.name}>
            <Suspense fallback={<SkeletonRows count={6} />}>
              <each.content incident={incident} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

/** Severity and state, how many alerts fire, and what went wrong with its notices. */
function Signs({ incident }: { incident: IncidentRecord }) {
  const { href } = useWorkspace();
  const notices = href(`incidents/${incident.id}?tab=notices`);
  return (
    <Group gap="sm">
      <SeverityBadge severity={incident.severity} />
      <StateChip state={incident.state} more={stateNote(incident)} />
      {firingNote(incident) && (
        <span className={classes.stillFiring}>{firingNote(incident)?.replace('firing', 'still firing')}</span>
      )}
      {incident.undelivered && (
        <Link href={notices} className={classes.parent}>
          <Undelivered of={incident} />
        </Link>
      )}
      {incident.notifiedNobody && (
        <>
          <Link href={notices} title="See why" className={classes.parent}>
            <NotifiedNobody />
          </Link>
          <NotifyNow incidents={[incident]} />
        </>
      )}
    </Group>
  );
}
