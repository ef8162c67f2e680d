import { useInfiniteQuery } from '@tanstack/react-query';
import type { IncidentRecord } from '@/api';
import { incidentsEventsInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { EmptyState } from '@/parts/EmptyState';
import { EventTable } from '@/parts/events/EventTable';

/** The events that belong to the incident; each one opens in the drawer of all events. */
export default function Events({ incident }: { incident: IncidentRecord }) {
  const query = useInfiniteQuery({
    ...incidentsEventsInfiniteOptions({ path: { incident_id: incident.id }, query: { limit: 50 } }),
    ...pages,
  });
  return (
    <EventTable
      query={query}
      within={incident.id}
      withSource={false}
      empty={<EmptyState title="No events">Events past their retention were removed.</EmptyState>}
    />
  );
}
