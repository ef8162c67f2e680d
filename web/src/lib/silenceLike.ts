import type { IncidentRecord } from '@/api';

/** What the form of a silence begins with: the resource of an incident, else its dedup key, else its title, and its source. */
export function silenceLike(
  incident: Pick<IncidentRecord, 'resource' | 'dedupKey' | 'title' | 'sourceId' | 'number'>,
): string {
  const [field, value] = incident.resource
    ? ['resource', incident.resource]
    : incident.dedupKey
      ? ['dedupKey', incident.dedupKey]
      : ['title', incident.title];
  const params = new URLSearchParams({
    match: `${field} = ${JSON.stringify(value)}`,
    sources: incident.sourceId,
    comment: `Like incident #${incident.number}`,
  });
  return `silences/new?${params.toString()}`;
}
