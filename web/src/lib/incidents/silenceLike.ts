import type { IncidentRecord } from '@/api';

type Like = Pick<IncidentRecord, 'resource' | 'dedupKey' | 'title' | 'sourceId' | 'number'>;

/** What a silence of an incident can be about: `match` on one line, and the value that it names. */
export type SilenceScope = { name: 'alert' | 'resource'; label: string; value: string; match: string };

/** The most incidents that one form begins with. */
export const MOST_LIKE = 20;

/** The narrowest scope first: the alert by its dedup key or title, then everything of its resource. */
export function silenceScopes({ resource, dedupKey, title }: Like): SilenceScope[] {
  const value = dedupKey ?? title;
  const alert: SilenceScope = {
    name: 'alert',
    label: 'This alert',
    value,
    match: condition(dedupKey ? 'dedupKey' : 'title', value),
  };
  if (!resource) return [alert];
  return [alert, { name: 'resource', label: 'This resource', value: resource, match: condition('resource', resource) }];
}

/** The reason that a silence of incidents has until a person writes another one. */
export function likeness(incidents: readonly Pick<Like, 'number'>[]): string {
  const numbers = incidents.map((each) => `#${each.number}`).join(', ');
  return `Like ${incidents.length === 1 ? 'incident' : 'incidents'} ${numbers}`;
}

/** The address of a new silence with this match. */
export function newSilence(match: string, incidents: readonly Like[]): string {
  const params = new URLSearchParams({
    match,
    sources: [...new Set(incidents.map((each) => each.sourceId))].join(),
    comment: likeness(incidents),
  });
  return `silences/new?${params.toString()}`;
}

/** What the form of a silence begins with: the alert of each incident, and the sources. */
export function silenceLike(...incidents: readonly Like[]): string {
  const matches = new Set(incidents.map((each) => silenceScopes(each)[0]!.match));
  return newSilence([...matches].join(' or '), incidents);
}

function condition(field: string, value: string): string {
  return `${field} = ${JSON.stringify(value)}`;
}
