import type { EventRecord } from '@/api';

/** What the form of a rule begins with: the resource of an event, else its type, else its title, and its source. */
export function ruleLike(event: Pick<EventRecord, 'resource' | 'type' | 'title' | 'sourceId'>): string {
  const [field, value] = event.resource
    ? ['resource', event.resource]
    : event.type
      ? ['type', event.type]
      : ['title', event.title];
  const params = new URLSearchParams({ name: event.title.slice(0, 100), sources: event.sourceId, field, value });
  return `rules/new?${params.toString()}`;
}
