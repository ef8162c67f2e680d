import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CircleCheck, Maximize, WifiOff } from 'lucide-react';
import { useEffect, type CSSProperties } from 'react';
import { Link } from 'wouter';
import type { IncidentCounts, IncidentFacets, IncidentRecord } from '@/api';
import { incidentsCountsOptions, incidentsFacetsOptions, incidentsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { clock, duration, relative, useNow } from '@/lib/time/time';
import { SEVERITY_WORD, type Severity, STATE_WORD } from '@/lib/words/words';
import { SkeletonRows } from '@/parts/EmptyState';
import { LastResolved } from '@/parts/LastResolved';
import { instanceName } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { severityColour, SeverityIcon } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { ConnectionBar, ConnectionDot } from '@/live/ConnectionState';
import { useConnection } from '@/live/live';
import { Heartbeats } from '@/screens/wall/Heartbeats';
import { countOf } from '@/screens/wall/counts';
import { isStale } from '@/screens/wall/stale';
import { useAlarm } from '@/screens/wall/useAlarm';
import { useFit } from '@/screens/wall/useFit';
import classes from '@/screens/wall/Wall.module.css';

/** More rows than any screen has room for: the list takes what fits. */
const SHOWN = 40;
const LOUD: readonly Severity[] = ['CRITICAL', 'ERROR', 'WARNING'];
const MINUTE = 60_000;

/** Open and acknowledged incidents and heartbeats in large type, for a screen on a wall. It names no person and has no act. */
export default function Wall() {
  const { workspace, href } = useWorkspace();
  const now = useNow();
  const shared = { refetchInterval: MINUTE, placeholderData: keepPreviousData };
  const counts = useQuery({ ...incidentsCountsOptions({ query: { workspaceId: workspace.id } }), ...shared });
  const list = useQuery({
    ...incidentsListOptions({
      query: {
        workspaceId: workspace.id,
        limit: SHOWN,
        state: ['open', 'acknowledged'],
        sort: 'severity',
        order: 'desc',
      },
    }),
    ...shared,
  });
  useEffect(() => {
    document.title = `${workspace.name} · ${instanceName()}`;
  }, [workspace.name]);
  useStaysAwake();
  const connection = useConnection();
  const readAt = Math.min(counts.dataUpdatedAt, list.dataUpdatedAt);
  const stale = isStale({ now, readAt, connection });
  const states = counts.data?.byState;
  const rows = list.data?.items ?? [];
  const bySeverity = useQuery({
    ...incidentsFacetsOptions({
      query: { workspaceId: workspace.id, state: ['open', 'acknowledged'], facet: ['severity'] },
    }),
    ...shared,
  });
  const { list: listed, fits } = useFit(rows.length);
  const more = states ? states.open + states.acknowledged - fits : 0;
  const isAlarmed = useAlarm(list.data?.items);
  return (
    <main className={classes.wall} id="content" data-stale={stale || undefined} data-alarm={isAlarmed || undefined}>
      <header className={classes.head}>
        <h1 className={`${classes.name} ${classes.flush}`}>{workspace.name}</h1>
        <span className={classes.clock}>
          <ConnectionDot />
          {clock(new Date(now).toISOString(), now)}
        </span>
      </header>
      {stale ? <Stale at={readAt} now={now} /> : <ConnectionBar />}
      {list.error && <ProblemAlert fault={list.error} onRetry={() => list.refetch()} />}
      {states && <Counts states={states} severities={bySeverity.data} />}
      <Heartbeats />
      {list.isPending && <SkeletonRows count={4} />}
      {list.data && rows.length === 0 && (
        <div className={classes.quiet}>
          <CircleCheck size="1.6em" strokeWidth={1.5} aria-hidden />
          All quiet
          <small>
            No incident is open or acknowledged. <LastResolved workspaceId={workspace.id} />
          </small>
        </div>
      )}
      {rows.length > 0 && (
        <ul ref={listed} className={classes.list} aria-label="Open and acknowledged incidents">
          {rows.slice(0, fits).map((each) => (
            <Row key={each.id} of={each} now={now} />
          ))}
        </ul>
      )}
      {more > 0 && <span className={classes.meta}>{more} more</span>}
      <Foot href={href} />
    </main>
  );
}

type CountsProps = { states: IncidentCounts['byState']; severities: IncidentFacets | undefined };

/** What is open or acknowledged by its severity, and what waits. */
function Counts({ states, severities }: CountsProps) {
  return (
    <dl className={classes.counts}>
      {LOUD.map((severity) => (
        <Count
          key={severity}
          label={SEVERITY_WORD[severity]}
          value={countOf(severities, severity)}
          colour={severityColour(severity)}
        />
      ))}
      <Count label="Acknowledged" value={states.acknowledged} />
      <Count label="Snoozed" value={states.snoozed} />
      <Count label="Silenced" value={states.silenced} />
    </dl>
  );
}

type FootProps = {
  href: (path: string) => string;
};

function Foot({ href }: FootProps) {
  return (
    <div className={classes.foot}>
      <Button component={Link} href={href('inbox')} variant="default" size="sm">
        Go to the inbox
      </Button>
      <Button
        variant="default"
        size="sm"
        leftSection={<Maximize size={15} aria-hidden />}
        onClick={() => void document.documentElement.requestFullscreen?.()}
      >
        Full screen
      </Button>
    </div>
  );
}

/** Says over the grey screen how old it is. */
function Stale({ at, now }: { at: number; now: number }) {
  const since = new Date(at).toISOString();
  return (
    <div className={classes.stale} role="alert">
      <WifiOff size="1.2em" aria-hidden />
      Out of date. Last updated {clock(since, now)}, {relative(since, now)}.
    </div>
  );
}

function Count({ label, value, colour }: { label: string; value: number; colour?: string }) {
  return (
    <div className={classes.count}>
      <dt>{label}</dt>
      <dd style={{ color: value > 0 ? colour : undefined }}>{value.toLocaleString()}</dd>
    </div>
  );
}

function Row({ of: each, now }: { of: IncidentRecord; now: number }) {
  const seconds = Math.max(0, (now - Date.parse(each.firstSeenAt)) / 1000);
  return (
    <li
      className={classes.row}
      data-state={each.state}
      style={{ '--mark': severityColour(each.severity) } as CSSProperties}
    >
      <SeverityIcon severity={each.severity} size={26} />
      <span className={classes.title}>{each.title}</span>
      <span className={classes.age}>{duration(seconds)}</span>
      <span className={classes.meta}>
        <span className={styles.strong} style={{ color: severityColour(each.severity) }}>
          {SEVERITY_WORD[each.severity]}
        </span>
        {' · '}
        {STATE_WORD[each.state]}
        {each.resource && ` · ${each.resource}`}
      </span>
    </li>
  );
}

/** Keeps the screen on while the page is visible, where the browser can. */
function useStaysAwake(): void {
  useEffect(() => {
    let lock: { release: () => Promise<void> } | undefined;
    const ask = () => {
      if (document.visibilityState !== 'visible') return;
      navigator.wakeLock?.request('screen').then(
        (held) => (lock = held),
        () => undefined, // refused, for example on low battery: the screen may go dark
      );
    };
    ask();
    document.addEventListener('visibilitychange', ask);
    return () => {
      document.removeEventListener('visibilitychange', ask);
      void lock?.release();
    };
  }, []);
}
