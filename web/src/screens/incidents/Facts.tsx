import { List, Skeleton, Text, Title } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { ExplainPage, IncidentRecord, Problem } from '@/api';
import { activityOfIncidentsOptions, incidentsExplainOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { localText } from '@/lib/time/localText';
import { duration } from '@/lib/time/time';
import { CopyButton } from '@/parts/CopyButton';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SeverityBadge } from '@/parts/SeverityBadge';
import { Sparkline } from '@/parts/Sparkline';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';
import { EditedAssignee, EditedTags } from '@/screens/incidents/LaterEdits';
import classes from '@/screens/incidents/Incident.module.css';
import { SameValue } from '@/screens/incidents/SameValue';
import { Similar } from '@/screens/incidents/Similar';

/** Facts of the incident, upcoming steps, and earlier incidents like it. */
export function Facts({ incident }: { incident: IncidentRecord }) {
  const { href } = useWorkspace();
  const explained = useQuery(incidentsExplainOptions({ path: { incident_id: incident.id }, query: { limit: 1 } }));
  const rows: [string, React.ReactNode][] = [
    ['Severity', <SeverityBadge key="severity" severity={incident.severity} />],
    [
      'Source',
      <Link key="source" href={href(`sources/${incident.sourceId}`)} className={styles.link}>
        {incident.sourceName}
      </Link>,
    ],
    ['Resource', incident.resource && <SameValue key="resource" filter="resource" value={incident.resource} />],
    ['Type', incident.type && <SameValue key="type" filter="type" value={incident.type} />],
    ['Tags', <EditedTags key="tags" incident={incident} />],
    ['Assignee', <EditedAssignee key="assignee" incident={incident} />],
    [
      'Silence',
      incident.silence && (
        <Link key="silence" href={href(`silences/${incident.silence.id}`)} className={styles.link}>
          {incident.silence.comment || 'without a comment'}
        </Link>
      ),
    ],
    ['First seen', <TimeAt key="first" at={incident.firstSeenAt} />],
    ['Last seen', <TimeAt key="last" at={incident.lastSeenAt} />],
    ['Events', incident.eventCount.toLocaleString()],
    ['Events, 24 h', <Activity key="activity" id={incident.id} />],
    [
      'Reopened',
      incident.reopenCount > 0 ? (incident.reopenCount === 1 ? 'once' : `${incident.reopenCount} times`) : null,
    ],
    ['Acknowledged', incident.acknowledgedAt && `after ${between(incident.openedAt, incident.acknowledgedAt)}`],
    ['Resolved', incident.resolvedAt && `after ${between(incident.openedAt, incident.resolvedAt)}`],
    [
      'Dedup key',
      incident.dedupKey && (
        <span key="key">
          <span className="mono">{incident.dedupKey}</span>{' '}
          <CopyButton value={incident.dedupKey} label="Copy the dedup key" inline />
        </span>
      ),
    ],
  ];
  return (
    <aside className={classes.facts} aria-label="Facts">
      <dl>
        {rows
          .filter(([, value]) => value !== null && value !== undefined && value !== '')
          .map(([name, value]) => (
            <div key={name} className={styles.contents}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <Next incident={incident} explained={explained} />
      {!explained.isLoading && <Similar incident={incident} />}
    </aside>
  );
}

/** Its events of the last 24 hours. */
function Activity({ id }: { id: IncidentRecord['id'] }) {
  const query = useQuery({ ...activityOfIncidentsOptions({ query: { id: [id] } }), refetchInterval: 60_000 });
  return <Sparkline counts={query.data?.items[0]?.counts} />;
}

/** The next recipients, in the words of the service. */
type Explained = UseQueryResult<ExplainPage, Problem>;

function Next({ incident, explained }: { incident: IncidentRecord; explained: Explained }) {
  const { href } = useWorkspace();
  return (
    <section className={classes.factGroup}>
      <Title order={2} mb={4}>
        Next
      </Title>
      {explained.isPending && <Skeleton h={14} w="80%" />}
      {explained.error && <ProblemAlert fault={explained.error} onRetry={() => explained.refetch()} />}
      {explained.data && (
        <>
          <Text size="sm">{localText(explained.data.text)}</Text>
          {explained.data.upcoming.length > 0 && (
            <List size="sm" mt={4}>
              {explained.data.upcoming.map((each) => (
                <List.Item key={each.kind + each.at}>
                  <TimeAt at={each.at} short />: {each.text}
                </List.Item>
              ))}
            </List>
          )}
          <Text size="sm" mt={4}>
            {incident.rule ? (
              <>
                Decided by rule{' '}
                <Link href={href(`rules/${incident.rule.id}`)} className={styles.link}>
                  {incident.rule.name ?? 'without a name'}
                </Link>
                .
              </>
            ) : (
              'No rule matched; default route used.'
            )}
          </Text>
        </>
      )}
    </section>
  );
}

function between(from: string, to: string): string {
  return duration((Date.parse(to) - Date.parse(from)) / 1000);
}
