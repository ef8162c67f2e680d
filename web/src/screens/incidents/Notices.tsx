import { Collapse, Group, Text, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { BellOff, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { IncidentRecord, NoticeRecord } from '@/api';
import { incidentsNoticesInfiniteOptions, noticesReadOptions } from '@/api/@tanstack/react-query.gen';
import { allows } from '@/lib/incidents/allowed';
import { pages } from '@/lib/requests/pages';
import { localText } from '@/lib/time/localText';
import { requestText } from '@/lib/words/requestText';
import { counted } from '@/lib/words/words';
import { More } from '@/parts/DataTable';
import { EmptyState, SkeletonRows } from '@/parts/EmptyState';
import { Unfold } from '@/parts/events/EventContent';
import { NotifyNow } from '@/live/NotifyNow';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { CodeBlock } from '@/parts/Snippets';
import styles from '@/parts/styles.module.css';
import { TimeAgo, TimeAt } from '@/parts/TimeAgo';
import { Decision } from '@/screens/incidents/Decision';
import { delivered, deliveredText, meant } from '@/screens/incidents/delivered';
import classes from '@/screens/incidents/Incident.module.css';
import look from '@/screens/incidents/Notices.module.css';

/** Each notice with every destination: sent, not sent and why, with the attempts. */
export default function Notices({ incident }: { incident: IncidentRecord }) {
  const query = useInfiniteQuery({
    ...incidentsNoticesInfiniteOptions({ path: { incident_id: incident.id }, query: { limit: 20 } }),
    ...pages,
  });
  const notices = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (query.isPending) return <SkeletonRows count={4} />;
  if (query.error && notices.length === 0) return <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />;
  if (notices.length === 0)
    return (
      <EmptyState icon={BellOff} title="No notification yet">
        Notifications appear when a rule, a profile or the default route has a destination.
      </EmptyState>
    );
  return (
    <>
      {allows('notify', incident.state) && !incident.notifiedNobody && (
        <Group mb="sm" gap="xs">
          <NotifyNow incidents={[incident]} />
          <Text span size="sm" className="soft">
            Notifies destinations on its route that were not told of it.
          </Text>
        </Group>
      )}
      <ol className={classes.entries} aria-label="Notifications">
        {notices.map((notice) => (
          <Notice key={notice.id} notice={notice} />
        ))}
      </ol>
      <More query={query} />
    </>
  );
}

/** The recipients and the refusals. What concerns other routes is one line until somebody opens it. */
function Notice({ notice }: { notice: NoticeRecord }) {
  const [isDetailed, setDetailed] = useState(false);
  const [isWide, setWide] = useState(false);
  const { meant: shown, elsewhere } = meant(notice.decisions);
  const others = counted(elsewhere.length, 'other destination');
  return (
    <li className={look.notice}>
      <div className={look.head}>
        <span className={look.text}>{localText(notice.text)}</span>
        <Outcome notice={notice} />
        <span className={`soft ${styles.tiny}`}>
          <TimeAgo at={notice.at} />
        </span>
      </div>
      <ul className={classes.entries}>
        {[...shown, ...(isWide ? elsewhere : [])].map((decision, index) => (
          <Decision key={`${decision.destinationId}${index}`} decision={decision} />
        ))}
      </ul>
      <Group gap="lg">
        <UnstyledButton
          onClick={() => setDetailed(!isDetailed)}
          aria-expanded={isDetailed}
          mih="var(--target)"
          className={classes.unfold}
        >
          <ChevronRight size={14} aria-hidden style={{ rotate: isDetailed ? '90deg' : undefined }} /> Details
        </UnstyledButton>
        {elsewhere.length > 0 && (
          <Unfold
            isOpen={isWide}
            onChange={setWide}
            open={`${others} ${elsewhere.length === 1 ? 'is' : 'are'} not on its route`}
            close="Hide other destinations"
          />
        )}
      </Group>
      <Collapse expanded={isDetailed}>
        {isDetailed && (
          <>
            <ul className={classes.attempts}>
              {notice.reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
            <Requests notice={notice} />
          </>
        )}
      </Collapse>
    </li>
  );
}

/** The number of notified destinations; amber when there is none, or a delivery fails. */
function Outcome({ notice }: { notice: NoticeRecord }) {
  const found = delivered(notice);
  const text = deliveredText(found);
  return text ? (
    <span className={`${look.outcome} numbers`} data-nobody={found.nobody || found.failing !== null || undefined}>
      {text}
    </span>
  ) : null;
}

/** The sent requests of each attempt; the webhook body while nothing was sent. */
function Requests({ notice: listed }: { notice: NoticeRecord }) {
  // A list leaves out what the newest event said.
  const notice = useQuery(noticesReadOptions({ path: { notice_id: listed.id } })).data ?? listed;
  const sent = notice.decisions.flatMap((decision) =>
    decision.deliveries.flatMap((delivery) =>
      delivery.attempts.flatMap((attempt) =>
        attempt.requests.map((request) => ({ name: decision.name, at: attempt.at, request })),
      ),
    ),
  );
  if (sent.length === 0)
    return (
      <pre className={classes.body} tabIndex={0}>
        {notice.body}
      </pre>
    );
  return sent.map(({ name, at, request }, index) => (
    <section key={index} className={classes.notReached}>
      <p className={classes.notReachedTitle}>
        To {name}, <TimeAt at={at} short />
      </p>
      <CodeBlock text={requestText(request)} label={`Request to ${name}`} />
    </section>
  ));
}
