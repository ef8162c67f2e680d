import { Anchor, Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { EventRecord, EventRow } from '@/api';
import { eventsReadOptions } from '@/api/@tanstack/react-query.gen';
import { labelChanges } from '@/lib/events/content';
import type { Pages } from '@/parts/DataTable';
import { useOpenEvent } from '@/parts/events/useOpenEvent';
import { Difference } from '@/parts/history/Difference';
import { SeverityBadge } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/incidents/Incident.module.css';
import { earlierThan, newerOf } from '@/screens/incidents/earlier';

const STEP = 5;
const LABELS = 6;
/** A comparison takes the product of both lengths. */
const COMPARED = 2_000;

type Props = { shown: EventRecord; query: Pages<EventRow> };

/** The earlier events of the incident, each with what changed afterwards in the text and the labels of its alert. */
export default function EarlierTexts({ shown, query }: Props) {
  const [count, setCount] = useState(STEP);
  const rows = earlierThan(shown, query.data?.pages.flatMap((page) => page.items) ?? []);
  const read = useQueries({
    queries: rows.slice(0, count).map((row) => eventsReadOptions({ path: { event_id: row.id } })),
  });
  const events = read.flatMap((each) => each.data ?? []);
  const hasMore = rows.length > count || query.hasNextPage;
  const more = () => {
    setCount(count + STEP);
    if (rows.length <= count + STEP && query.hasNextPage) void query.fetchNextPage?.();
  };
  return (
    <>
      <ol className={classes.entries} aria-label="Earlier texts">
        {events.map((event) => (
          <Earlier key={event.id} event={event} newer={newerOf(event, [shown, ...events])} />
        ))}
      </ol>
      {rows.length === 0 && !query.hasNextPage && (
        <p className={`soft ${styles.small}`}>The earlier events were removed at the end of their retention.</p>
      )}
      {hasMore && (
        <Button variant="default" size="compact-sm" mih="var(--target)" onClick={more}>
          Show earlier ones
        </Button>
      )}
    </>
  );
}

/** One earlier event: its text, in which what the next one left out is struck through and what it added is marked. */
function Earlier({ event, newer }: { event: EventRecord; newer: EventRecord | null }) {
  const { open } = useOpenEvent();
  const text = event.body ?? '';
  const isSame = newer !== null && text === (newer.body ?? '');
  const labels = newer ? labelChanges(event, newer) : [];
  return (
    <li className={classes.earlier}>
      <span className={classes.earlierHead}>
        <SeverityBadge severity={event.severity} />
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => open(event.id)}
          className={classes.earlierTitle}
        >
          {event.action === 'resolve' ? `Recovery: ${event.title}` : event.title}
        </Anchor>
        <span className={`soft ${styles.tiny}`}>
          <TimeAgo at={event.receivedAt} />
        </span>
      </span>
      {isSame ? (
        <p className={`soft ${styles.small} ${styles.flush}`}>{text ? 'The same text.' : 'No text.'}</p>
      ) : (
        <p className={`${styles.verbatim} ${styles.small} ${styles.flush}`}>
          {newer ? <Difference before={text.slice(0, COMPARED)} after={(newer.body ?? '').slice(0, COMPARED)} /> : text}
        </p>
      )}
      {labels.length > 0 && (
        <p className={`soft ${styles.small} ${styles.flush}`}>
          Changed afterwards:{' '}
          {labels
            .slice(0, LABELS)
            .map(({ name, before, after }) => `${name} ${before ?? 'none'} → ${after ?? 'none'}`)
            .join(', ')}
          {labels.length > LABELS && `, and ${labels.length - LABELS} more`}
        </p>
      )}
    </li>
  );
}
