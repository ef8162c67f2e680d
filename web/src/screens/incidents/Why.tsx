import { useInfiniteQuery } from '@tanstack/react-query';
import type { IncidentRecord } from '@/api';
import { incidentsExplainInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { localText } from '@/lib/time/localText';
import { More } from '@/parts/DataTable';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/incidents/Incident.module.css';

/** Each event and each notice with the decisions of routing, in the words of the service. */
export default function Why({ incident }: { incident: IncidentRecord }) {
  const query = useInfiniteQuery({
    ...incidentsExplainInfiniteOptions({ path: { incident_id: incident.id }, query: { limit: 50 } }),
    ...pages,
  });
  const entries = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (query.isPending) return <SkeletonRows count={4} />;
  if (query.error && entries.length === 0) return <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />;
  return (
    <>
      <ol className={classes.entries} aria-label="Why">
        {entries.map((entry, index) => (
          <li key={`${entry.at}${index}`} className={`${classes.entry} ${classes.reason}`}>
            <div>
              {localText(entry.text)}
              {(entry.reasons?.length || entry.decisions?.length) && (
                <ul className={`soft ${classes.reasons}`}>
                  {entry.reasons?.map((reason) => (
                    <li key={reason}>{reason}</li>
                  ))}
                  {entry.decisions?.map((decision) => (
                    <li key={`${decision.destinationId}${decision.text}`}>{localText(decision.text)}</li>
                  ))}
                </ul>
              )}
            </div>
            <span className={`soft ${styles.tiny}`}>
              <TimeAgo at={entry.at} />
            </span>
          </li>
        ))}
      </ol>
      <More query={query} />
    </>
  );
}
