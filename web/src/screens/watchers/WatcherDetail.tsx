import { Anchor, Badge, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Activity } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import type { CheckRecord, WatcherRecord } from '@/api';
import { watchersReadOptions } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { useKeys } from '@/lib/keyboard/keys';
import { isProblem } from '@/lib/requests/problems';
import { useWorkspace } from '@/lib/session/workspace';
import { duration } from '@/lib/time/time';
import detail from '@/parts/details/Detail.module.css';
import { BackLink } from '@/parts/editor/BackLink';
import { StatusBadge } from '@/parts/heartbeats/StatusBadge';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { TimeAgo, TimeAt } from '@/parts/TimeAgo';
import { Acts } from '@/screens/watchers/Acts';
import { CheckBadge } from '@/screens/watchers/CheckMarks';
import { worstFirst } from '@/screens/watchers/checks';
import { REREAD_MS } from '@/screens/watchers/useWatchers';
import classes from '@/screens/watchers/Watchers.module.css';

/** One watcher: whether it checks in, its checks, and what it says of its host. */
export function WatcherDetail({ id }: { id: WatcherRecord['id'] }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const query = useQuery({ ...watchersReadOptions({ path: { watcher_id: id } }), refetchInterval: REREAD_MS });
  useKeys('Watcher', [{ keys: 'u', label: 'Back to the watchers', run: () => navigate(href('watchers')) }]);
  const watcher = query.data;
  const isGone = isProblem(query.error) && query.error.status === 404;
  if (!watcher || isGone)
    return (
      <RecordState query={query} noun="watcher" back={{ href: href('watchers'), label: 'Back to the watchers' }}>
        It may have been deleted.
      </RecordState>
    );
  return (
    <>
      <BackLink href={href('watchers')} label="Watchers" near />
      <PageHeader
        title={watcher.name}
        about={
          <span className={classes.subtitle}>
            <StatusBadge status={watcher.status} />
            {watcher.hostname}
          </span>
        }
      >
        <Acts watcher={watcher} />
      </PageHeader>
      {query.error && (
        <div className={styles.bar}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      <div className={detail.columns}>
        <div className={detail.story}>
          <section aria-live="polite">
            <Now watcher={watcher} />
          </section>
          <section>
            <Title order={2} mb={4}>
              Checks
            </Title>
            {watcher.checks.length === 0 && <span className="soft">The watcher reports no checks.</span>}
            <ul className={classes.checks} aria-label="Checks">
              {worstFirst(watcher.checks).map((check) => (
                <Check key={check.name} check={check} />
              ))}
            </ul>
          </section>
        </div>
        <Facts watcher={watcher} />
      </div>
    </>
  );
}

/** The status in a sentence, and the incident of a silent host. */
function Now({ watcher }: { watcher: WatcherRecord }) {
  const { href } = useWorkspace();
  return (
    <>
      <Sentence watcher={watcher} />{' '}
      {watcher.incidentId && (
        <Anchor component={Link} href={href(`incidents/${watcher.incidentId}`)} underline="always">
          Incident of this host
        </Anchor>
      )}
    </>
  );
}

function Sentence({ watcher: { status, lastCheckInAt, downSince, intervalSeconds } }: { watcher: WatcherRecord }) {
  if (status === 'down')
    return <>Down{downSince && <> since {<TimeAt at={downSince} />}</>}. The next check-in resolves the incident.</>;
  if (status === 'paused') return <>Paused. Its heartbeat expects no check-in, and its checks send no alerts.</>;
  return (
    <>
      The last check-in was <TimeAgo at={lastCheckInAt} />
      {status === 'late' ? `. One is expected every ${duration(intervalSeconds)}: it is overdue.` : '.'}
    </>
  );
}

function Check({ check }: { check: CheckRecord }) {
  const { href } = useWorkspace();
  return (
    <li>
      <CheckBadge status={check.status} />
      <span className={classes.name}>{check.name}</span>
      <span className={`soft ${classes.since} ${classes.small}`}>
        {check.incidentId && (
          <Anchor
            component={Link}
            href={href(`incidents/${check.incidentId}`)}
            size="sm"
            mr={12}
            aria-label={`Incident of ${check.name}`}
            className={styles.smallAction}
          >
            <Activity size={14} aria-hidden /> Incident
          </Anchor>
        )}
        since <TimeAgo at={check.since} />
      </span>
      <p className={classes.message}>{check.message}</p>
    </li>
  );
}

function Facts({ watcher }: { watcher: WatcherRecord }) {
  const { href } = useWorkspace();
  const names = useNames();
  const labels = Object.entries(watcher.labels);
  const rows: [string, React.ReactNode][] = [
    ['Last check-in', <TimeAt key="last" at={watcher.lastCheckInAt} />],
    ['Next due', watcher.nextDueAt ? <TimeAt key="next" at={watcher.nextDueAt} /> : 'Not expected'],
    ['Interval', duration(watcher.intervalSeconds)],
    ['Grace', duration(watcher.graceSeconds)],
    [
      'Heartbeat',
      <Anchor key="heartbeat" component={Link} href={href(`heartbeats/${watcher.monitorId}`)} size="sm">
        Check-ins, grace and pauses
      </Anchor>,
    ],
    [
      'Source',
      <Anchor key="source" component={Link} href={href(`sources/${watcher.sourceId}`)} size="sm">
        {names.of(watcher.sourceId)}
      </Anchor>,
    ],
    [
      'Id',
      <span key="id" className="mono">
        {watcher.watcherId}
      </span>,
    ],
    ['Agent', watcher.version || 'Unknown'],
    [
      'Labels',
      labels.length > 0 && (
        <span key="labels" className={styles.chips}>
          {labels.map(([name, value]) => (
            <Badge key={name} variant="default" tt="none" fw={450}>
              {name}: {value}
            </Badge>
          ))}
        </span>
      ),
    ],
    ['Created', <TimeAt key="created" at={watcher.createdAt} />],
  ];
  return (
    <aside className={detail.facts} aria-label="Facts">
      <dl>
        {rows
          .filter(([, value]) => value !== false)
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
