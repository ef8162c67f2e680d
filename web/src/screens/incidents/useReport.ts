import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { EventRecord, EventRow, IncidentRecord } from '@/api';
import { eventsReadOptions, incidentsEventsInfiniteOptions, rulesReadOptions } from '@/api/@tanstack/react-query.gen';
import { saysMore } from '@/lib/events/content';
import { pages } from '@/lib/requests/pages';
import { useAlerts, useBeginning } from '@/screens/incidents/useAlerts';

export type Report = ReturnType<typeof useReport>;

/** What the sender says, with everything that is shown above the timeline: the page shows it at once, so that nothing moves. */
export function useReport(incident: IncidentRecord) {
  const events = useInfiniteQuery({
    ...incidentsEventsInfiniteOptions({ path: { incident_id: incident.id }, query: { limit: 50 } }),
    ...pages,
  });
  const { event, isNewest, query, isLoading } = useSpeaking(incident, events.data?.pages[0]?.items);
  const rule = useRule(incident);
  const began = useBeginning(incident);
  const alerts = useAlerts(incident);
  const isWaiting = incident.alertCount > 1 ? alerts.isPending && alerts.error === null : began.isLoading;
  return {
    events,
    event,
    isNewest,
    query,
    runbook: rule.data?.then.runbookUrl ?? null,
    began: began.at,
    isLoading: isLoading || rule.isLoading || isWaiting,
  };
}

/** The newest event; where it says no more than its title, the newest one that does. */
function useSpeaking(incident: IncidentRecord, rows: readonly EventRow[] | undefined) {
  const id = incident.lastEvent?.id;
  const newest = useEvent(id);
  const isSilent = newest.data !== undefined && !saysMore(newest.data);
  const other = isSilent ? rows?.find((row) => row.id !== id && (row.bodyExcerpt || row.hasMetadata)) : undefined;
  const speaking = useEvent(other?.id);
  const event: EventRecord | undefined = other ? (speaking.data ?? newest.data) : newest.data;
  const isLoading = newest.isLoading || speaking.isLoading;
  return { event, isNewest: event?.id === newest.data?.id, query: newest, isLoading };
}

function useEvent(id: EventRecord['id'] | undefined) {
  return useQuery({
    ...eventsReadOptions({ path: { event_id: id ?? 'evt_' } }),
    enabled: id !== undefined,
    placeholderData: keepPreviousData,
  });
}

/** The rule that decided, if one did. It may have a runbook. */
function useRule({ rule }: IncidentRecord) {
  return useQuery({ ...rulesReadOptions({ path: { rule_id: rule?.id ?? 'rul_' } }), enabled: rule !== null });
}
