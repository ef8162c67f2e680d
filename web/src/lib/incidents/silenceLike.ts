import type { IncidentRecord } from '@/api';

type Like = Pick<IncidentRecord, 'resource' | 'dedupKey' | 'title' | 'sourceId' | 'number'>;

/** The most incidents that one form begins with. */
export const MOST_LIKE = 20;

/** What the form of a silence begins with: for each incident its resource, else its dedup key, else its title, and the sources. */
export function silenceLike(...incidents: readonly Like[]): string {
  const numbers = incidents.map((each) => `#${each.number}`).join(', ');
  const params = new URLSearchParams({
    match: [...new Set(incidents.map(condition))].join(' or '),
    sources: [...new Set(incidents.map((each) => each.sourceId))].join(),
    comment: `Like ${incidents.length === 1 ? 'incident' : 'incidents'} ${numbers}`,
  });
  return `silences/new?${params.toString()}`;
}

function condition({ resource, dedupKey, title }: Like): string {
  const [field, value] = resource ? ['resource', resource] : dedupKey ? ['dedupKey', dedupKey] : ['title', title];
  return `${field} = ${JSON.stringify(value)}`;
}
