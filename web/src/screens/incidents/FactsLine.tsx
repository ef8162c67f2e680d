import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { IncidentRecord } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { duration, useNow } from '@/lib/time/time';
import styles from '@/parts/styles.module.css';
import { SameValue } from '@/screens/incidents/SameValue';
import classes from '@/screens/incidents/Incident.module.css';

/** Source, resource, for how long, and who: in one line where the facts lie below the timeline. */
export function FactsLine({ incident }: { incident: IncidentRecord }) {
  const { href } = useWorkspace();
  const now = useNow();
  const facts: [string, ReactNode][] = [
    [
      'source',
      <Link key="source" href={href(`sources/${incident.sourceId}`)} className={styles.link}>
        {incident.sourceName}
      </Link>,
    ],
    ['resource', incident.resource ? <SameValue key="resource" filter="resource" value={incident.resource} /> : null],
    ['age', lasted(incident, now)],
    ['who', incident.assignee ? `assigned to ${incident.assignee.name}` : 'unassigned'],
  ];
  return (
    <p className={classes.factsLine}>
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value], index) => (
          <Fragment key={name}>
            {index > 0 && ' · '}
            {value}
          </Fragment>
        ))}
    </p>
  );
}

type Lasted = Pick<IncidentRecord, 'openedAt' | 'resolvedAt'>;

/** "open for 2 h", "resolved after 5 min". */
export function lasted({ openedAt, resolvedAt }: Lasted, now: number): string {
  const end = resolvedAt === null ? now : Date.parse(resolvedAt);
  const span = duration(Math.max(0, (end - Date.parse(openedAt)) / 1000));
  return resolvedAt === null ? `open for ${span}` : `resolved after ${span}`;
}
