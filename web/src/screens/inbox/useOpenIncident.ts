import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { type EventRecord, eventsRead, type IncidentNew, incidentsCreate } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { refreshIncidents } from '@/live/acts';
import { say } from '@/parts/toast';

export type ByHand = Omit<Required<IncidentNew>, 'workspaceId'>;

/** The severities for which the shipped default route opens incidents. */
export const CHOICES = ['CRITICAL', 'ERROR', 'WARNING'] as const satisfies readonly IncidentNew['severity'][];

const READS = 20;
const PAUSE = 500;

/** Opens an incident by hand, and shows it once its event is routed. */
export function useOpenIncident(onDone: () => void) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async (fields: ByHand) => {
      const body = { ...fields, workspaceId: workspace.id };
      const { data } = await incidentsCreate({ body, throwOnError: true });
      return routed(data.eventId);
    },
    onSuccess: (event) => {
      onDone();
      refreshIncidents();
      if (event?.incidentId) return navigate(href(`incidents/${event.incidentId}`));
      say(event ? 'Your rules open no incident for it. The event is in the event log.' : 'The incident opens shortly.');
    },
  });
}

/** The event once it is routed. The incident is accepted already: null while routing takes long or cannot be asked. */
async function routed(eventId: EventRecord['id']): Promise<EventRecord | null> {
  for (let read = 0; read < READS; read++) {
    const { data } = await eventsRead({ path: { event_id: eventId } });
    if (data && data.disposition !== 'pending') return data;
    await new Promise((done) => setTimeout(done, PAUSE));
  }
  return null;
}
