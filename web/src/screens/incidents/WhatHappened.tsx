import { Anchor, Group, Skeleton, Title } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import type { EventRecord, EventRow, IncidentRecord } from '@/api';
import { eventsReadOptions, incidentsEventsInfiniteOptions, rulesReadOptions } from '@/api/@tanstack/react-query.gen';
import { saysMore } from '@/lib/events/content';
import { pages } from '@/lib/requests/pages';
import { EventContent, Unfold } from '@/parts/events/EventContent';
import { EventDrawer } from '@/parts/events/EventDrawer';
import { useOpenEvent } from '@/parts/events/useOpenEvent';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo, TimeAt } from '@/parts/TimeAgo';
import { EarlierTexts } from '@/screens/incidents/EarlierTexts';
import classes from '@/screens/incidents/Incident.module.css';
import { useBeginning } from '@/screens/incidents/useAlerts';

/** What the sender says: the newest text with its links and labels, and the earlier texts on request. */
export function WhatHappened({ incident }: { incident: IncidentRecord }) {
  const [params] = useSearchParams();
  const { open, id } = useOpenEvent();
  const events = useInfiniteQuery({
    ...incidentsEventsInfiniteOptions({ path: { incident_id: incident.id }, query: { limit: 50 } }),
    ...pages,
  });
  const { event, isNewest, query } = useSpeaking(incident, events.data?.pages[0]?.items);
  const runbook = useRunbook(incident);
  const began = useBeginning(incident);
  const [isOpen, setOpen] = useState(false);
  if (incident.lastEvent === null) return null;
  const hasEarlier = incident.eventCount > 1;
  return (
    <section className={classes.happened} aria-labelledby="happened">
      <Title order={2} id="happened" mb={4}>
        What happened
      </Title>
      {query.isPending && <Skeleton h={14} w="80%" mb="sm" />}
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
          {isOpen && <EarlierTexts shown={event} query={events} />}
        </>
      )}
      {params.get('tab') !== 'events' && <EventDrawer id={id} onClose={() => open(null)} within={incident.id} />}
    </section>
  );
}

/** The newest event; where it says no more than its title, the newest one that does. */
function useSpeaking(incident: IncidentRecord, rows: readonly EventRow[] | undefined) {
  const id = incident.lastEvent?.id;
  const newest = useEvent(id);
  const isSilent = newest.data !== undefined && !saysMore(newest.data);
  const other = isSilent ? rows?.find((row) => row.id !== id && (row.bodyExcerpt || row.hasMetadata)) : undefined;
  const speaking = useEvent(other?.id);
  const event: EventRecord | undefined = other ? (speaking.data ?? newest.data) : newest.data;
  return { event, isNewest: event?.id === newest.data?.id, query: newest };
}

function useEvent(id: EventRecord['id'] | undefined) {
  return useQuery({
    ...eventsReadOptions({ path: { event_id: id ?? 'evt_' } }),
    enabled: id !== undefined,
    placeholderData: keepPreviousData,
  });
}

/** The runbook of the rule that decided, if it has one. */
function useRunbook({ rule }: IncidentRecord): string | null {
  const query = useQuery({ ...rulesReadOptions({ path: { rule_id: rule?.id ?? 'rul_' } }), enabled: rule !== null });
  return query.data?.then.runbookUrl ?? null;
}
