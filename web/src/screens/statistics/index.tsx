import { Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import type { SourceRecord } from '@/api';
import { statisticsReadOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { SEVERITIES } from '@/lib/words/words';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { type Chosen, Filters } from '@/screens/statistics/Filters';
import { Overview } from '@/screens/statistics/Overview';
import classes from '@/screens/statistics/Statistics.module.css';

const RANGES = [
  { days: 1, word: '24 hours', bucket: 'hour' },
  { days: 7, word: '7 days', bucket: 'day' },
  { days: 30, word: '30 days', bucket: 'day' },
  { days: 90, word: '90 days', bucket: 'week' },
] as const;
const HOUR = 3_600_000;

/** Numbers of a period. The period and the filters stand in the address. */
export default function Statistics() {
  const { workspace, href } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const range = RANGES.find((each) => String(each.days) === params.get('days')) ?? RANGES[1];
  const until = Math.ceil(useNow() / HOUR) * HOUR;
  const since = new Date(until - range.days * 24 * HOUR).toISOString();
  const chosen: Chosen = {
    source: params.get('source') ?? '',
    severity: params.get('severity') ?? '',
    tag: params.get('tag') ?? '',
  };
  const severity = SEVERITIES.find((each) => each === chosen.severity);
  const filters = {
    ...(chosen.source ? { sourceId: [chosen.source as SourceRecord['id']] } : {}),
    ...(severity ? { severity: [severity] } : {}),
    ...(chosen.tag ? { tag: [chosen.tag] } : {}),
  };
  const change = (changes: Record<string, string>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
  const query = useQuery({
    ...statisticsReadOptions({
      query: {
        workspaceId: workspace.id,
        since,
        until: new Date(until).toISOString(),
        bucket: range.bucket,
        ...filters,
      },
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Statistics"
        about={query.data && `Counted by first-seen time. Time zone: ${query.data.timezone}.`}
      >
        <nav className={classes.ranges} aria-label="Period">
          {RANGES.map((each) => (
            <Link
              key={each.days}
              href={href(`statistics${withDays(params, each === RANGES[1] ? null : each.days)}`)}
              aria-current={each === range ? 'page' : undefined}
            >
              {each.word}
            </Link>
          ))}
        </nav>
      </PageHeader>
      <Filters chosen={chosen} onChange={change} />
      {query.error && (
        <div className={classes.rankings}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      {query.isPending && (
        <div className={styles.padded} role="status" aria-label="Loading">
          <Skeleton h={72} mb="md" />
          <Skeleton h={200} />
        </div>
      )}
      {query.data && <Overview statistics={query.data} />}
    </>
  );
}

/** The parameters of the address with another period; null: the usual one. */
function withDays(params: URLSearchParams, days: number | null): string {
  const next = new URLSearchParams(params);
  next.delete('days');
  if (days !== null) next.set('days', String(days));
  const text = next.toString();
  return text && `?${text}`;
}
