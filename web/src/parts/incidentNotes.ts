import type { IncidentRecord } from '@/api';
import { clock } from '@/lib/time/time';

/** The text beside the state: the end time or the person. */
export function stateNote(incident: IncidentRecord): string | undefined {
  if (incident.state === 'snoozed' && incident.snoozedUntil) return `until ${clock(incident.snoozedUntil)}`;
  if (incident.state === 'silenced' && incident.silence?.endsAt) return `until ${clock(incident.silence.endsAt)}`;
  if (incident.state === 'acknowledged' && incident.acknowledgedBy) return `by ${incident.acknowledgedBy.name}`;
  if (incident.state === 'resolved' && incident.resolvedBy && incident.resolvedBy.type === 'user')
    return `by ${incident.resolvedBy.name}`;
  return undefined;
}

/** "2 of 3 firing" for an unresolved incident with several alerts. */
export function firingNote({ state, alertCount, firingCount }: IncidentRecord): string | undefined {
  if (alertCount < 2 || state === 'resolved') return undefined;
  return `${firingCount.toLocaleString()} of ${alertCount.toLocaleString()} firing`;
}
