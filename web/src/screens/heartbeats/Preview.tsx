import { Loader, Skeleton, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { HeartbeatSchedule, SchedulePreview } from '@/api';
import { duration, english } from '@/lib/time/time';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { TimeAgo } from '@/parts/TimeAgo';
import { type Draft, secondsOf } from '@/screens/heartbeats/draft';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import { usePreview } from '@/screens/heartbeats/usePreview';

/** The schedule in words, its next runs, and the hours that a change of clocks skips or doubles. */
export function Preview({ draft }: { draft: Draft }) {
  const { preview, isReady, settled } = usePreview(draft);
  const { data, error } = preview;
  return (
    <aside className={classes.preview} aria-labelledby="preview">
      <Text component="h2" id="preview" fw={600} size="sm" m={0} mb={4}>
        Preview {preview.isFetching && <Loader size={12} role="status" aria-label="Calculating" />}
      </Text>
      {!isReady && (
        <Text size="sm" className="soft">
          Complete the schedule to see its next runs.
        </Text>
      )}
      {isReady && error && <ProblemAlert fault={error} onRetry={() => preview.refetch()} />}
      {isReady && preview.isPending && <Skeleton h={120} />}
      {isReady && !error && data && (
        <div aria-live="polite">
          {data.error ? (
            <Fault text={(JSON.parse(settled || '{}') as HeartbeatSchedule).expression ?? ''} fault={data.error} />
          ) : (
            <Runs preview={data} isSimple={draft.kind === 'simple'} />
          )}
        </div>
      )}
      {isReady && data && !data.error && (
        <Text size="sm" className="soft" mt="sm">
          {deadline(draft)}
        </Text>
      )}
    </aside>
  );
}

/** When an incident opens, in one sentence. */
function deadline({ grace, failures }: Draft): string {
  const wait = duration(secondsOf(grace));
  return Number(failures) > 1
    ? `A run counts as missed ${wait} after its expected time. The incident opens after ${failures} runs in a row.`
    : `Without a ping, the incident opens ${wait} after the expected time.`;
}

function Runs({ preview, isSimple }: { preview: SchedulePreview; isSimple: boolean }) {
  const affected = preview.clockChanges.filter((each) => each.affects);
  return (
    <>
      <Text size="sm">{preview.text}</Text>
      <Text size="xs" className="soft" mt={8} id="runs">
        {isSimple ? 'If a ping came now, the next ones are expected at' : 'The next runs, in the sender’s time zone'}
      </Text>
      <ol className={`${classes.runs} ${classes.firstRuns}`} aria-labelledby="runs">
        {preview.runs.map((run) => (
          <li key={run.at}>
            <span className="numbers">{runText(run.local)}</span>
            <span className="soft">
              <TimeAgo at={run.at} />
            </span>
          </li>
        ))}
      </ol>
      {affected.map((each) => (
        <p key={each.at} className={classes.change}>
          <TriangleAlert size={15} aria-hidden className={classes.changeIcon} />
          <span>{each.text}</span>
        </p>
      ))}
      {preview.clockChanges.length > 0 && affected.length === 0 && (
        <Text size="sm" className="soft" mt="sm">
          Clock changes affect no run within a year.
        </Text>
      )}
    </>
  );
}

/** The faulty part of the expression, marked where it stands. */
function Fault({ text, fault }: { text: string; fault: NonNullable<SchedulePreview['error']> }) {
  return (
    <>
      <Text size="sm" c="var(--severity-critical)" fw={600}>
        {fault.detail}
      </Text>
      <div className={classes.fault} aria-label="The expression with the error marked" role="group">
        {text.slice(0, fault.start)}
        <mark>{text.slice(fault.start, fault.end) || ' '}</mark>
        {text.slice(fault.end)}
      </div>
    </>
  );
}

/** "Tue, 24 Nov 2026 03:00" of the clock time "2026-11-24 03:00", in English. */
export function runText(local: string): string {
  const [date = '', time = ''] = local.split(' ');
  const day = new Intl.DateTimeFormat(english(), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${date}T00:00Z`));
  return `${day} ${time}`;
}
