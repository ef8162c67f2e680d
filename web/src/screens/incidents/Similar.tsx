import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { Link } from 'wouter';
import type { IncidentRecord, SimilarIncident } from '@/api';
import { incidentsSimilarOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { StateChip } from '@/parts/StateChip';
import { TimeAgo } from '@/parts/TimeAgo';
import { ending } from '@/screens/incidents/ending';
import { grouped } from '@/screens/incidents/grouped';
import classes from '@/screens/incidents/Similar.module.css';

/** Earlier incidents like this one: how each ended, how long it took, and what people noted last. */
export function Similar({ incident }: { incident: IncidentRecord }) {
  const similar = useQuery(incidentsSimilarOptions({ path: { incident_id: incident.id } }));
  if (!similar.data || similar.data.items.length === 0) return null;
  return (
    <section>
      <Title order={2} mb={4}>
        Similar incidents
      </Title>
      <ul className={classes.list}>
        {grouped(similar.data.items, incident.title).map(({ newest, count }) => (
          <Row key={newest.incident.id} of={newest} count={count} />
        ))}
      </ul>
    </section>
  );
}

/** The newest incident of a title, and how many had it. */
function Row({ of: { incident, lastNote }, count }: { of: SimilarIncident; count: number }) {
  const { href } = useWorkspace();
  const end = ending(incident);
  return (
    <li className={classes.row}>
      <span className={classes.head}>
        <Link href={href(`incidents/${incident.id}`)} className={`${classes.title} clip`}>
          {incident.title}
        </Link>
        {count > 1 && <span className={`soft numbers ${classes.count}`}>×{count}</span>}
        <span className="soft">
          <TimeAgo at={incident.lastSeenAt} />
        </span>
      </span>
      {end === null ? (
        <StateChip state={incident.state} />
      ) : (
        <span className={classes.end}>
          <Check size={13} aria-hidden /> {end}
        </span>
      )}
      {lastNote && (
        <blockquote className={classes.note}>
          <span className={classes.by}>{lastNote.actor.name}:</span> {lastNote.text}
        </blockquote>
      )}
    </li>
  );
}
