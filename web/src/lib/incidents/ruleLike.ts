import type { EventRecord } from '@/api';

/** What the form of a rule begins with: the resource of an event, else its type, else its title, and its source. The preview knows the event. */
export function ruleLike(event: Pick<EventRecord, 'id' | 'resource' | 'type' | 'title' | 'sourceId'>): string {
  const [field, value] = event.resource
    ? ['resource', event.resource]
    : event.type
      ? ['type', event.type]
      : ['title', event.title];
  const begin = { name: event.title.slice(0, 100), sources: event.sourceId, field, value };
  const params = new URLSearchParams({ ...begin, event: event.id });
  return `rules/new?${params.toString()}`;
}
