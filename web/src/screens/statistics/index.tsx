import { Anchor, Skeleton, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChartNoAxesColumn } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { DurationRecord, StatisticsRecord } from '@/api';
import { statisticsReadOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/app/workspace';
import { duration } from '@/lib/time';
import { EmptyState } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { TimeAgo } from '@/parts/TimeAgo';
import { Bars, Meter } from '@/screens/statistics/Bars';
import classes from '@/screens/statistics/Statistics.module.css';

const RANGES = [
  { days: 1, word: '24 hours', bucket: 'hour' },
  { days: 7, word: '7 days', bucket: 'day' },
  { days: 30, word: '30 days', bucket: 'day' },
  { days: 90, word: '90 days', bucket: 'week' },
] as const;
const HOUR = 3_600_000;

/** Numbers of a period. The period stands in the address. */
export default function Statistics() {
  const { workspace, href } = useWorkspace();
  const [params] = useSearchParams();
  const range = RANGES.find((each) => String(each.days) === params.get('days')) ?? RANGES[1];
  const until = useMemo(() => Math.ceil(Date.now() / HOUR) * HOUR, [range]);
  const since = new Date(until - range.days * 24 * HOUR).toISOString();
  const query = useQuery({
    ...statisticsReadOptions({
      query: { workspaceId: workspace.id, since, until: new Date(until).toISOString(), bucket: range.bucket },
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Statistics"
        about={
          query.data && `Incidents belong to the time at which they were first seen. Time zone: ${query.data.timezone}.`
        }
      >
        <nav className={classes.ranges} aria-label="Period">
          {RANGES.map((each) => (
            <Link
              key={each.days}
              href={href(`statistics${each === RANGES[1] ? '' : `?days=${each.days}`}`)}
              aria-current={each === range ? 'page' : undefined}
            >
              {each.word}
            </Link>
          ))}
        </nav>
      </PageHeader>
      {query.error && (
        <div style={{ padding: '0 16px 16px' }}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      {query.isPending && (
        <div style={{ padding: 16 }} role="status" aria-label="Loading">
          <Skeleton h={72} mb="md" />
          <Skeleton h={200} />
        </div>
      )}
      {query.data && <Shown statistics={query.data} />}
    </>
  );
}

function Shown({ statistics }: { statistics: StatisticsRecord }) {
  const { href } = useWorkspace();
  const incidents = sum(statistics.buckets.map((each) => each.incidents));
  const { destinations, noisiestSources, noisiestFingerprints, unmatchedRules } = statistics;
  const link = { color: 'var(--focus)', minHeight: 'auto' };
  return (
    <div className={classes.page}>
      <dl className={classes.numbers}>
        <Number label="New incidents" value={incidents.toLocaleString()} />
        <Time label="Time to acknowledge" record={statistics.timeToAcknowledge} />
        <Time label="Time to resolve" record={statistics.timeToResolve} />
        <Number
          label="Notices sent"
          value={sum(destinations.map((each) => each.sent)).toLocaleString()}
          note={`${sum(destinations.map((each) => each.failed)).toLocaleString()} failed, ${sum(destinations.map((each) => each.other)).toLocaleString()} other`}
        />
      </dl>
      {incidents === 0 ? (
        <EmptyState icon={ChartNoAxesColumn} title="No incident in this period">
          Choose a longer period, or wait until a source sends events.
        </EmptyState>
      ) : (
        <Bars buckets={statistics.buckets} bucket={statistics.bucket} timezone={statistics.timezone} />
      )}
      <Ranking
        title="Noisiest sources"
        head={['Source', 'Incidents', 'Events']}
        empty="No source had an incident."
        rows={noisiestSources.map((each) => ({
          key: each.sourceId,
          name: (
            <Link href={href(`sources/${each.sourceId}`)} style={link}>
              {each.name}
            </Link>
          ),
          size: each.events,
          cells: [each.incidents, each.events],
        }))}
      />
      <Ranking
        title="Noisiest incidents"
        head={['Title', 'Incidents', 'Events']}
        empty="No incident had an event."
        rows={noisiestFingerprints.map((each) => ({
          key: each.sourceId + each.fingerprint,
          name: (
            <Link href={href(`incidents/${each.incidentId}`)} style={link}>
              {each.title}
            </Link>
          ),
          size: each.events,
          cells: [each.incidents, each.events],
        }))}
      />
      <Ranking
        title="Destinations"
        head={['Destination', 'Sent', 'Failed', 'Other']}
        empty="No notice was meant for a destination."
        rows={destinations.map((each) => ({
          key: each.destinationId,
          name: (
            <Link href={href(`deliveries?destinationId=${each.destinationId}`)} style={link}>
              {each.name}
            </Link>
          ),
          size: each.notices,
          cells: [each.sent, each.failed, each.other],
        }))}
      />
      <section aria-labelledby="unmatched">
        <h2 id="unmatched" className={classes.heading}>
          Rules that never matched
        </h2>
        {unmatchedRules.length === 0 && (
          <Text size="sm" className="soft">
            Each rule that is older than a week has matched.
          </Text>
        )}
        <ul className={classes.plain}>
          {unmatchedRules.map((each) => (
            <li key={each.ruleId}>
              <Anchor component={Link} href={href(`rules/${each.ruleId}`)} size="sm">
                {each.name}
              </Anchor>{' '}
              <span className="soft">
                {each.enabled ? '' : 'disabled, '}created <TimeAgo at={each.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function Number({ label, value, note }: { label: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <strong className="numbers">{value}</strong>
        {note && <span className="soft">{note}</span>}
      </dd>
    </div>
  );
}

function Time({ label, record }: { label: string; record: DurationRecord }) {
  const { n, medianSeconds, p90Seconds } = record;
  if (medianSeconds === null || p90Seconds === null) return <Number label={label} value="–" note="no incident" />;
  return (
    <Number
      label={label}
      value={duration(medianSeconds)}
      note={`median of ${n.toLocaleString()}; 90 % within ${duration(p90Seconds)}`}
    />
  );
}

type Row = { key: string; name: React.ReactNode; size: number; cells: number[] };

/** A table whose rows have a bar: the numbers are the text, the bar is the picture. */
function Ranking({ title, head, rows, empty }: { title: string; head: string[]; rows: Row[]; empty: string }) {
  const most = Math.max(1, ...rows.map((each) => each.size));
  return (
    <section aria-label={title}>
      <h2 className={classes.heading}>{title}</h2>
      {rows.length === 0 ? (
        <Text size="sm" className="soft">
          {empty}
        </Text>
      ) : (
        <table className={classes.table}>
          <thead>
            <tr>
              {head.map((each, index) => (
                <th key={each} scope="col" className={index > 0 ? classes.number : undefined}>
                  {each}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <td>
                  {row.name}
                  <Meter share={row.size / most} />
                </td>
                {row.cells.map((cell, index) => (
                  <td key={head[index + 1]} className={classes.number}>
                    {cell.toLocaleString()}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
