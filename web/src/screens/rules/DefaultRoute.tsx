import { Anchor, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { RouteRecord } from '@/api';
import { routeOptions } from '@/lib/configuration/defaultRoute';
import type { Names } from '@/lib/configuration/names';
import { countOf, isNobody } from '@/lib/configuration/pageTargets';
import { useWorkspace } from '@/lib/session/workspace';
import { listed, SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words/words';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import classes from '@/screens/rules/Rules.module.css';

/** What applies when no rule decides: the last row, always there. */
export function DefaultRoute({ names, mayEdit }: { names: Names; mayEdit: boolean }) {
  const { workspace, href } = useWorkspace();
  const query = useQuery(routeOptions(workspace.id));
  const route = query.data?.route;
  return (
    <section className={`${classes.row} ${classes.defaultRoute}`} aria-label="Default route">
      <span />
      <div>
        <h2 className={`${classes.name} ${classes.flush}`}>Default route</h2>
        {query.isPending && <Skeleton h={12} w="60%" mt={6} />}
        {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
        {route && <p className={classes.sentence}>{sentenceOf(route, names)}</p>}
        {route && isNobody(route) && (
          <p className={`${classes.sentence} ${classes.critical}`}>
            It has no destination. Incidents without a rule notify nobody.
          </p>
        )}
      </div>
      <span />
      {mayEdit && (
        <Anchor component={Link} href={href('rules/default')} size="sm" className={styles.inlineTarget}>
          Change<span className="only-for-readers"> the default route</span>
        </Anchor>
      )}
    </section>
  );
}

function sentenceOf(route: RouteRecord, names: Names): React.ReactNode {
  const { dispositions } = route;
  const of = (what: string) =>
    SEVERITIES.filter((each) => (dispositions as Partial<Record<Severity, string>> | undefined)?.[each] === what).map(
      (each) => SEVERITY_WORD[each],
    );
  const recipients = [
    ...(route.destinationIds.length > 0 ? [listed(route.destinationIds.map(names.of))] : []),
    ...(route.people?.length ? [countOf(route.people)] : []),
    ...(route.routingProfileId ? [`profile ${names.of(route.routingProfileId)}`] : []),
  ];
  const opens = of('incident');
  const logged = of('log');
  return (
    <>
      When no rule matches:{' '}
      {opens.length > 0 && (
        <>
          <strong>{listed(opens)}</strong> open an incident.{' '}
        </>
      )}
      {logged.length > 0 && <>{listed(logged)} are logged. </>}
      {recipients.length > 0 && (
        <>
          Incidents notify <strong>{listed(recipients)}</strong>.
        </>
      )}
    </>
  );
}
