import { Anchor, Group, Title } from '@mantine/core';
import { lazy, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { IncidentRecord } from '@/api';
import { saysMore } from '@/lib/events/content';
import { EventContent, Unfold } from '@/parts/events/EventContent';
import { EventDrawer } from '@/parts/events/LaterEventDrawer';
import { useOpenEvent } from '@/parts/events/useOpenEvent';
import { Later } from '@/parts/Later';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo, TimeAt } from '@/parts/TimeAgo';
import classes from '@/screens/incidents/Incident.module.css';
import type { Report } from '@/screens/incidents/useReport';

const EarlierTexts = lazy(() => import('@/screens/incidents/EarlierTexts'));

/** What the sender says: the newest text with its links and labels, and the earlier texts on request. */
export function WhatHappened({ incident, report }: { incident: IncidentRecord; report: Report }) {
  const [params] = useSearchParams();
  const { open, id } = useOpenEvent();
  const { events, event, isNewest, query, runbook, began } = report;
  const [isOpen, setOpen] = useState(false);
  if (incident.lastEvent === null) return null;
  const hasEarlier = incident.eventCount > 1;
  return (
    <section className={classes.happened} aria-labelledby="happened">
      <Title order={2} id="happened" mb={4}>
        What happened
      </Title>
      {query.error && !event ? <ProblemAlert fault={query.error} onRetry={() => query.refetch()} /> : null}
      {event && (
        <>
          {event.title !== incident.title && <p className={classes.ofEvent}>{event.title}</p>}
          <EventContent content={event} runbook={runbook} />
          {!saysMore(event) && <p className={`soft ${styles.small}`}>The event says no more than its title.</p>}
          <p className={`soft ${styles.small} ${classes.told}`}>
            Reported <TimeAgo at={event.receivedAt} />
            {began && (
              <>
                , began <TimeAgo at={began} /> (<TimeAt at={began} />)
              </>
            )}
            {!isNewest && '. Later events have no text'}.
          </p>
          <Group gap="md">
            {hasEarlier && (
              <Unfold isOpen={isOpen} onChange={setOpen} open="Earlier texts" close="Hide earlier texts" />
            )}
            <Anchor
              component="button"
              type="button"
              size="sm"
              className={styles.inlineTarget}
              onClick={() => open(event.id)}
            >
              Event details
            </Anchor>
          </Group>
          <Later opened={isOpen}>{isOpen && <EarlierTexts shown={event} query={events} />}</Later>
        </>
      )}
      {params.get('tab') !== 'events' && <EventDrawer id={id} onClose={() => open(null)} within={incident.id} />}
    </section>
  );
}
