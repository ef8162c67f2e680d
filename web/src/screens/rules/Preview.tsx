import { Group, Loader, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { PreviewRecord, RuleRecord, SampleRecord } from '@/api';
import { isProblem } from '@/lib/requests/problems';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SeverityIcon } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { isReady, type RuleForm } from '@/screens/rules/draft';
import { EventPreview } from '@/screens/rules/EventPreview';
import classes from '@/screens/rules/Rules.module.css';
import { usePreview } from '@/screens/rules/usePreview';

const ONE = 'event';

/** What the rule would have done with past events, or would do with one event. The address may name a stored one. */
export function Preview({ form, id }: { form: RuleForm; id: RuleRecord['id'] | null }) {
  const [params] = useSearchParams();
  const eventId = params.get('event');
  const [period, setPeriod] = useState('1');
  return (
    <aside className={classes.preview} aria-labelledby="preview">
      <Group justify="space-between" mb="xs">
        <Group gap="xs">
          <Text component="h2" id="preview" fw={600} size="sm" m={0}>
            {period === ONE ? 'Preview on one event' : 'Preview on past events'}
          </Text>
        </Group>
        <SegmentedControl
          size="xs"
          aria-label="Period"
          value={period}
          onChange={setPeriod}
          data={[
            { value: '1', label: '24 h' },
            { value: '7', label: '7 d' },
            { value: '30', label: '30 d' },
            { value: ONE, label: eventId ? 'This event' : 'One event' },
          ]}
          classNames={{ label: styles.tallLabel }}
        />
      </Group>
      {!isReady(form) && (
        <Text size="sm" className="soft">
          Complete each condition to see what the rule would have done.
        </Text>
      )}
      {period === ONE ? (
        <EventPreview form={form} id={id} eventId={eventId} />
      ) : (
        <PastEvents form={form} id={id} days={Number(period)} />
      )}
      <Text size="xs" className="soft" mt="sm">
        The server routes {period === ONE ? 'the event' : 'stored events'} twice: by the saved rules and with this one.
        Nothing is sent.
      </Text>
    </aside>
  );
}

/** The numbers before and after, the conditions that keep events away, and events with another outcome. */
function PastEvents({ form, id, days }: { form: RuleForm; id: RuleRecord['id'] | null; days: number }) {
  const preview = usePreview(form, id, days);
  const last = useRef(preview.data);
  last.current = preview.data ?? last.current;
  if (preview.isIncomplete) return null;
  if (isOfMatch(preview.error))
    return (
      <>
        <Text size="sm" className="soft" role="status">
          Fix the condition to update the preview.
        </Text>
        {last.current && (
          <div className={classes.behind} aria-hidden>
            <Result result={last.current} />
          </div>
        )}
      </>
    );
  return (
    <>
      {(preview.isFetching || preview.isBehind) && <Loader size={14} role="status" aria-label="Calculating" />}
      {preview.error && <ProblemAlert fault={preview.error} onRetry={() => preview.refetch()} />}
      {preview.isPending && <Skeleton h={120} />}
      {!preview.error && preview.data && <Result result={preview.data} />}
    </>
  );
}

/** Returns whether the match of the rule cannot be read: the editor says why, beside the condition. */
function isOfMatch(fault: unknown): boolean {
  return isProblem(fault) && (fault.errors ?? []).some((each) => /^\/rule\/match(Text)?$/.test(each.pointer));
}

function Result({ result }: { result: PreviewRecord }) {
  const report = result.ruleReports[0];
  return (
    <>
      <Text size="sm" fw={600} role="status">
        {report?.text ?? result.text}
      </Text>
      {report && (
        <Text size="sm" className="soft">
          {result.text}
        </Text>
      )}
      {report && report.preempted > 0 && (
        <Text size="sm" c="var(--severity-warning)">
          An earlier rule takes {report.preempted.toLocaleString()} of them.
        </Text>
      )}
      {result.events === 0 && (
        <Text size="sm" className="soft">
          No event was received in this period. Choose a longer one.
        </Text>
      )}
      {result.events > 0 && <Numbers result={result} />}
      {report && report.clauses.length > 0 && (
        <>
          <h3 className={classes.smallTitle}>Conditions</h3>
          <Conditions report={report} />
        </>
      )}
      {result.sample.length > 0 && <h3 className={classes.smallTitle}>Events with a different outcome</h3>}
      {result.sample.slice(0, 8).map((each, index) => (
        <Sample key={each.eventId ?? index} sample={each} />
      ))}
      {result.sample.length === 0 && result.events > 0 && (
        <Text size="sm" className="soft" mt="xs">
          No event would have a different outcome.
        </Text>
      )}
      {report && report.nearMisses.length > 0 && (
        <>
          <h3 className={classes.smallTitle}>Near misses</h3>
          {report.nearMisses.map((each, index) => (
            <div key={each.eventId ?? index} className={classes.example}>
              <Title severity={each.severity} title={each.title} at={each.receivedAt} />
              <span className="soft">
                fails{' '}
                <span className="mono">
                  {each.clauses
                    .filter((clause) => !clause.matched)
                    .map((clause) => clause.clause)
                    .join(' · ')}
                </span>
              </span>
            </div>
          ))}
        </>
      )}
    </>
  );
}

type ConditionsProps = {
  report: PreviewRecord['ruleReports'][number];
};

/** How many events meet each condition, and how many fail it alone. */
function Conditions({ report }: ConditionsProps) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Condition</th>
          <th scope="col" className={classes.number}>
            Matches
          </th>
          <th scope="col" className={classes.number}>
            Excluded only by this
          </th>
        </tr>
      </thead>
      <tbody>
        {report.clauses.map((each) => (
          <tr key={each.clause}>
            <td className="mono">{each.clause}</td>
            <td className={classes.number}>{each.matched.toLocaleString()}</td>
            <td className={classes.number}>{each.soleFailure.toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Numbers({ result }: { result: PreviewRecord }) {
  const rows: [string, { before: number; after: number }][] = [
    ['New incidents', result.incidents],
    ['Reopened', result.reopened],
    ['Notifications', result.notices],
    ['at night', result.notices.atNight],
    ['delayed by quiet hours', result.notices.held],
    ['Deliveries', result.deliveries],
  ];
  return (
    <table className={`${classes.table} ${classes.below}`}>
      <thead>
        <tr>
          <th scope="col">In this period</th>
          <th scope="col" className={classes.number}>
            Before
          </th>
          <th scope="col" className={classes.number}>
            After
          </th>
          <th scope="col" className={classes.number}>
            Change
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, { before, after }]) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td className={classes.number}>{before.toLocaleString()}</td>
            <td className={classes.number}>{after.toLocaleString()}</td>
            <td className={classes.number} style={{ fontWeight: after === before ? undefined : 600 }}>
              {after === before ? '–' : `${after > before ? '+' : '−'}${Math.abs(after - before).toLocaleString()}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Sample({ sample }: { sample: SampleRecord }) {
  return (
    <div className={classes.example}>
      <Title severity={sample.severity} title={sample.title} at={sample.receivedAt} />
      <span className="soft">Before: {sample.before.text}</span>
      <span>After: {sample.after.text}</span>
      {sample.clauses.length > 0 && (
        <span className="soft mono">
          {sample.clauses.map((each) => `${each.matched ? '✓' : '✗'} ${each.clause}`).join('  ')}
        </span>
      )}
    </div>
  );
}

function Title({ severity, title, at }: { severity: SampleRecord['severity']; title: string; at: string }) {
  return (
    <span className={classes.outcome}>
      <SeverityIcon severity={severity} /> <strong className="clip">{title}</strong>{' '}
      <span className={`soft ${styles.atEnd}`}>
        <TimeAgo at={at} />
      </span>
    </span>
  );
}
