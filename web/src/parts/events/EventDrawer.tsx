import { Anchor, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { EventRecord } from '@/api';
import { eventsExplainOptions, eventsReadOptions } from '@/api/@tanstack/react-query.gen';
import { ruleLike } from '@/lib/incidents/ruleLike';
import { useWorkspace } from '@/lib/session/workspace';
import { localText } from '@/lib/time/localText';
import { Drawer } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import { DispositionChip } from '@/parts/events/DispositionChip';
import { DISPOSITIONS } from '@/parts/events/dispositions';
import { EventContent, Unfold } from '@/parts/events/EventContent';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SeverityBadge } from '@/parts/SeverityBadge';
import { CodeBlock } from '@/parts/Snippets';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';

type DrawerProps = {
  id: EventRecord['id'] | null;
  onClose: () => void;
  /** The incident whose screen shows the drawer. */
  within?: EventRecord['incidentId'];
};

/** One event: what the sender says, why the service did with it what it did, and the raw record. */
export default function EventDrawer({ id, onClose, within = null }: DrawerProps) {
  const query = useQuery({ ...eventsReadOptions({ path: { event_id: id ?? 'evt_' } }), enabled: id !== null });
  return (
    <Drawer
      opened={id !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title="Event"
      closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
    >
      {query.data ? (
        <Body event={query.data} within={within} />
      ) : query.error ? (
        <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
      ) : (
        <SkeletonRows count={4} />
      )}
    </Drawer>
  );
}

function Body({ event, within }: { event: EventRecord; within: EventRecord['incidentId'] }) {
  const { href, can } = useWorkspace();
  return (
    <Stack>
      <div>
        <Title order={2} className={styles.anywhere}>
          {event.title}
        </Title>
        <Group gap="sm" mt={4}>
          <SeverityBadge severity={event.severity} />
          <DispositionChip disposition={event.disposition} />
        </Group>
      </div>
      <div>
        <EventContent key={event.id} content={event} />
      </div>
      <Group gap="xs">
        {event.incidentId && event.incidentId !== within && (
          <Button component={Link} href={href(`incidents/${event.incidentId}`)} variant="default">
            Open the incident
          </Button>
        )}
        {can('admin') && (
          <Button component={Link} href={href(ruleLike(event))} variant="default">
            Create a rule like this
          </Button>
        )}
      </Group>
      <Facts href={href} event={event} />
      <section>
        <Title order={3} size="sm" mb={4}>
          Why
        </Title>
        <Text size="sm">{DISPOSITIONS[event.disposition].about}</Text>
        <Reasons id={event.id} />
      </section>
      {event.warnings.length > 0 && (
        <section>
          <Title order={3} size="sm" mb={4}>
            Changed before it was stored
          </Title>
          <List size="sm">
            {event.warnings.map((each) => (
              <List.Item key={each.code + each.pointer}>
                <span className="mono">{each.code}</span> {each.detail}{' '}
                <span className="mono soft">{each.pointer}</span>
              </List.Item>
            ))}
          </List>
        </section>
      )}
      <Raw key={event.id} event={event} />
    </Stack>
  );
}

/** The whole record as JSON, on request. */
function Raw({ event }: { event: EventRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section>
      <Unfold isOpen={isOpen} onChange={setOpen} open="Show raw JSON" close="Hide raw JSON" />
      {isOpen && <CodeBlock text={JSON.stringify(event, null, 2)} label="Stored event" />}
    </section>
  );
}

type FactsProps = {
  href: (path: string) => string;
  event: EventRecord;
};

/** The source and the time of the event. */
function Facts({ href, event }: FactsProps) {
  return (
    <dl className={styles.facts}>
      <dt className="soft">Source</dt>
      <dd className={styles.flush}>
        <Anchor component={Link} href={href(`sources/${event.sourceId}`)} size="sm" underline="always">
          {event.sourceName}
        </Anchor>
      </dd>
      <dt className="soft">Received</dt>
      <dd className={styles.flush}>
        <TimeAt at={event.receivedAt} />
        {event.flags.includes('test') && ' (a test event, sent by a person)'}
      </dd>
      <dt className="soft">Occurred</dt>
      <dd className={styles.flush}>
        <TimeAt at={event.occurredAt} />
        {event.flags.includes('late') && ' (arrived after a later report)'}
        {event.flags.includes('clock_skew') && ' (replaced: the clock of the sender was wrong)'}
      </dd>
    </dl>
  );
}

/** The decisions of routing in the words of the service: first for the event, then for each notice. */
function Reasons({ id }: { id: EventRecord['id'] }) {
  const query = useQuery(eventsExplainOptions({ path: { event_id: id } }));
  if (query.error) return <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />;
  return (
    <List size="sm" mt={4} spacing={4}>
      {query.data?.items.map((item, index) => (
        <List.Item key={index}>
          {localText(item.text)}
          {item.reasons?.map((reason) => (
            <span key={reason} className={`soft ${styles.block}`}>
              {reason}
            </span>
          ))}
          {item.decisions?.map((each, at) => (
            <span key={at} className={`soft ${styles.block}`}>
              {localText(each.text)}
            </span>
          ))}
        </List.Item>
      ))}
    </List>
  );
}
