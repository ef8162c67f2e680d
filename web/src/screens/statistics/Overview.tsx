import { Anchor, Text } from '@mantine/core';
import { ChartNoAxesColumn } from 'lucide-react';
import { Link } from 'wouter';
import type { BucketRecord, DurationRecord, StatisticsRecord } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { absolute, duration } from '@/lib/time/time';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import { EmptyState } from '@/parts/EmptyState';
import { severityColour } from '@/parts/SeverityBadge';
import { TimeAgo } from '@/parts/TimeAgo';
import { Bars } from '@/screens/statistics/Bars';
import { type Series, sum } from '@/screens/statistics/buckets';
import { Durations } from '@/screens/statistics/Durations';
import { HeatMap } from '@/screens/statistics/HeatMap';
import { Rankings } from '@/screens/statistics/Rankings';
import classes from '@/screens/statistics/Statistics.module.css';

const BY_SEVERITY: Series[] = SEVERITIES.map((key) => ({
  key,
  label: SEVERITY_WORD[key],
  colour: severityColour(key),
  of: (bucket) => bucket.bySeverity[key] ?? 0,
}));
const EVENTS: Series[] = [{ key: 'events', label: 'Events', colour: 'var(--focus)', of: (bucket) => bucket.events }];
const STATUS_COLOURS: [keyof BucketRecord['deliveries'], string, string][] = [
  ['failed', 'Failed', 'var(--severity-critical)'],
  ['expired', 'Expired', 'var(--severity-warning)'],
  ['held', 'Held', 'var(--state-snoozed)'],
  ['pending', 'Pending', 'var(--severity-info)'],
  ['skipped', 'Skipped', 'var(--severity-debug)'],
  ['gathered', 'In a digest', 'var(--focus)'],
  ['sent', 'Sent', 'var(--severity-success)'],
];
const BY_STATUS: Series[] = STATUS_COLOURS.map(([key, label, colour]) => ({
  key,
  label,
  colour,
  of: (bucket) => bucket.deliveries[key],
}));

/** The figures of a period: numbers, charts by time, the week, and rankings. */
export function Overview({ statistics }: { statistics: StatisticsRecord }) {
  const { buckets, bucket } = statistics;
  const incidents = sum(buckets.map((each) => each.incidents));
  const status = (name: keyof BucketRecord['deliveries']) => sum(buckets.map((each) => each.deliveries[name]));
  return (
    <div className={classes.page}>
      <dl className={classes.numbers}>
        <Number label="New incidents" value={incidents.toLocaleString()} />
        <Time label="Time to acknowledge" record={statistics.timeToAcknowledge} />
        <Time label="Time to resolve" record={statistics.timeToResolve} />
        <Number label="Events" value={sum(buckets.map((each) => each.events)).toLocaleString()} />
        <Number
          label="Notifications sent"
          value={status('sent').toLocaleString()}
          note={`${status('failed').toLocaleString()} failed, ${status('held').toLocaleString()} held, ${status('skipped').toLocaleString()} skipped, ${status('expired').toLocaleString()} expired`}
        />
      </dl>
      <Incomplete statistics={statistics} />
      {incidents === 0 ? (
        <div className={classes.wide}>
          <EmptyState icon={ChartNoAxesColumn} title="No incident in this period">
            Choose a longer period or other filters, or wait until a source sends events.
          </EmptyState>
        </div>
      ) : (
        <>
          <Bars
            title={`New incidents by ${bucket}`}
            statistics={statistics}
            series={BY_SEVERITY}
            noun="new incidents"
            isWide
          />
          <Durations statistics={statistics} />
          <HeatMap statistics={statistics} />
        </>
      )}
      <Bars title={`Events by ${bucket}`} statistics={statistics} series={EVENTS} noun="events" />
      <Bars title={`Deliveries by ${bucket}`} statistics={statistics} series={BY_STATUS} noun="deliveries" />
      <Rankings statistics={statistics} />
      <UnmatchedRules statistics={statistics} />
    </div>
  );
}

function Incomplete({ statistics: { since, countedFrom } }: { statistics: StatisticsRecord }) {
  const nouns = (['incidents', 'events', 'deliveries'] as const).filter((each) => countedFrom[each] > since);
  if (nouns.length === 0) return null;
  return (
    <Text size="sm" className={classes.wide} role="status">
      Too many rows to count them all.{' '}
      {nouns.map((each) => `Figures for ${each} begin at ${absolute(countedFrom[each])}.`).join(' ')}
    </Text>
  );
}

function UnmatchedRules({ statistics: { unmatchedRules } }: { statistics: StatisticsRecord }) {
  const { href } = useWorkspace();
  return (
    <section aria-labelledby="unmatched">
      <h2 id="unmatched" className={classes.heading}>
        Rules that never matched
      </h2>
      {unmatchedRules.length === 0 && (
        <Text size="sm" className="soft">
          Every rule older than a week has matched.
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
      note={`median, n = ${n.toLocaleString()} · p90 ${duration(p90Seconds)}`}
    />
  );
}
