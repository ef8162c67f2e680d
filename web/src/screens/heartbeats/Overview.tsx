import { Anchor, Badge, Group, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import type { IncId, MonitorRecord } from '@/api';
import { heartbeatMonitorsPingsOptions, incidentsReadOptions } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { useWorkspace } from '@/lib/session/workspace';
import { duration } from '@/lib/time/time';
import detail from '@/parts/details/Detail.module.css';
import { REREAD_MS } from '@/parts/heartbeats/useMonitors';
import { OUTCOMES, runtime } from '@/parts/heartbeats/words';
import { SeverityBadge } from '@/parts/SeverityBadge';
import { StateChip } from '@/parts/StateChip';
import styles from '@/parts/styles.module.css';
import { TimeAgo, TimeAt } from '@/parts/TimeAgo';
import { Mark, WideBar } from '@/screens/heartbeats/Bar';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import { countByOutcome } from '@/screens/heartbeats/periods';
import { PingTable } from '@/screens/heartbeats/PingsTab';
import type { TabProps } from '@/screens/heartbeats/tabProps';

/** The state of the monitor, its last runs, its incident, and its settings. */
export function Overview({ monitor }: TabProps) {
  const counts = countByOutcome(monitor.bar);
  return (
    <div className={detail.columns}>
      <div className={detail.story}>
        <section aria-live="polite">
          <Text>
            <Now monitor={monitor} />
          </Text>
        </section>
        {monitor.incidentId && <Incident id={monitor.incidentId as IncId} />}
        <section>
          <Title order={2} mb={8}>
            Last runs
          </Title>
          <WideBar monitor={monitor} />
          {counts.length > 0 && (
            <ul className={classes.legend} aria-label="How the last runs ended">
              {counts.map(([outcome, count]) => (
                <li key={outcome}>
                  <svg width={6} height={16} viewBox="0 0 3 20" preserveAspectRatio="none" aria-hidden>
                    <Mark kind={outcome} />
                  </svg>
                  <span className="numbers">
                    {count} {OUTCOMES[outcome].word}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </section>
        <LastPings monitor={monitor} />
      </div>
      <Facts monitor={monitor} />
    </div>
  );
}

/** The status in sentences: since when, and what comes next. */
function Now({ monitor }: { monitor: MonitorRecord }) {
  const [, setParams] = useSearchParams();
  const grace = duration(monitor.graceSeconds);
  switch (monitor.status) {
    case 'new':
      return (
        <>
          No ping has arrived yet.{' '}
          <Anchor component="button" type="button" underline="always" onClick={() => setParams({ tab: 'setup' })}>
            Put the ping address into the job
          </Anchor>
          . This page updates automatically.
        </>
      );
    case 'up':
      return monitor.nextDueAt ? (
        <>
          The next ping is expected <TimeAgo at={monitor.nextDueAt} />, with {grace} of grace.
        </>
      ) : (
        <>Pings arrive on time.</>
      );
    case 'late':
      return monitor.failures > 0 ? (
        <>
          {monitor.failures} of {monitor.failuresBeforeIncident} runs failed or were missed. The incident opens after{' '}
          {monitor.failuresBeforeIncident}.
        </>
      ) : (
        <>
          The ping is overdue{monitor.nextDueAt && ': it was expected '}
          {monitor.nextDueAt && <TimeAgo at={monitor.nextDueAt} />}. The grace is {grace}.
        </>
      );
    case 'down':
      return monitor.downSince ? (
        <>
          Down since <TimeAt at={monitor.downSince} />. The next successful ping resolves the incident.
        </>
      ) : (
        <>The deadline has passed. The incident opens in a moment.</>
      );
    case 'running':
      return monitor.startedAt ? (
        <>
          A run began <TimeAgo at={monitor.startedAt} />
          {monitor.maxRuntimeSeconds ? `. It may take ${duration(monitor.maxRuntimeSeconds)}.` : '.'}
        </>
      ) : (
        <>A run is in progress.</>
      );
    case 'paused':
      return (
        <>
          Paused{monitor.pausedAt && <> since {<TimeAt at={monitor.pausedAt} />}</>}. No ping is expected. Pings that
          arrive are listed and change nothing.
        </>
      );
  }
}

/** The newest pings, with a way to all of them. */
function LastPings({ monitor }: { monitor: MonitorRecord }) {
  const [, setParams] = useSearchParams();
  const showAll = () => setParams({ tab: 'pings' });
  const query = useQuery({
    ...heartbeatMonitorsPingsOptions({ path: { monitor_id: monitor.id }, query: { limit: 5, order: 'desc' } }),
    refetchInterval: REREAD_MS,
  });
  if (!query.data || query.data.items.length === 0) return null;
  return (
    <section>
      <Group justify="space-between" mb={4}>
        <Title order={2}>Last pings</Title>
        <Anchor component="button" type="button" size="sm" mih={24} onClick={showAll}>
          All pings
        </Anchor>
      </Group>
      <PingTable pings={query.data.items} />
    </section>
  );
}

function Incident({ id }: { id: IncId }) {
  const { href } = useWorkspace();
  const { data } = useQuery(incidentsReadOptions({ path: { incident_id: id } }));
  return (
    <section className={classes.incident} aria-label="Incident">
      {data ? (
        <>
          <SeverityBadge severity={data.severity} />
          <Anchor
            component={Link}
            href={href(`incidents/${id}`)}
            fw={600}
            c="var(--text)"
            underline="always"
            className={styles.anywhere}
          >
            #{data.number} {data.title}
          </Anchor>
          <StateChip state={data.state} />
          <span className={`soft ${styles.small}`}>
            opened <TimeAgo at={data.openedAt} />
          </span>
        </>
      ) : (
        <Skeleton h={22} />
      )}
    </section>
  );
}

function Facts({ monitor }: { monitor: MonitorRecord }) {
  const { href } = useWorkspace();
  const names = useNames();
  const rows: [string, React.ReactNode][] = [
    ['Schedule', monitor.scheduleText],
    ['Grace', duration(monitor.graceSeconds)],
    [
      'Slug',
      monitor.slug && (
        <span key="slug" className="mono">
          {monitor.slug}
        </span>
      ),
    ],
    ['Next due', monitor.nextDueAt ? <TimeAt at={monitor.nextDueAt} /> : 'Not expected'],
    ['Last ping', monitor.lastPingAt ? <TimeAt at={monitor.lastPingAt} /> : 'Never'],
    ['Last duration', monitor.lastDurationMs === null ? null : runtime(monitor.lastDurationMs)],
    ['Maximum run', monitor.maxRuntimeSeconds && duration(monitor.maxRuntimeSeconds)],
    ['First ping', monitor.alertIfNeverSeenAfterSeconds && `within ${duration(monitor.alertIfNeverSeenAfterSeconds)}`],
    ['Counts', monitor.methods.length < 3 && monitor.methods.join(', ')],
    [
      'Incident after',
      monitor.failuresBeforeIncident === 1 ? 'one failure' : `${monitor.failuresBeforeIncident} failures in a row`,
    ],
    ['Severity', <SeverityBadge key="severity" severity={monitor.severity} />],
    [
      'Source',
      <Anchor key="source" component={Link} href={href(`sources/${monitor.sourceId}`)} size="sm">
        {names.of(monitor.sourceId)}
      </Anchor>,
    ],
    [
      'Watcher',
      monitor.watcherId !== null && (
        <Anchor key="watcher" component={Link} href={href(`watchers/${monitor.watcherId}`)} size="sm">
          {monitor.name}
        </Anchor>
      ),
    ],
    [
      'Tags',
      monitor.tags.length > 0 && (
        <span key="tags" className={styles.chips}>
          {monitor.tags.map((tag) => (
            <Badge key={tag} variant="default" tt="none" fw={450}>
              {tag}
            </Badge>
          ))}
        </span>
      ),
    ],
    ['Created', <TimeAt key="created" at={monitor.createdAt} />],
  ];
  return (
    <aside className={detail.facts} aria-label="Facts">
      <dl>
        {rows
          .filter(([, value]) => value !== null && value !== false)
          .map(([name, value]) => (
            <div key={name} className={styles.contents}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </aside>
  );
}
