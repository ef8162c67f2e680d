/** What a person pastes first: an event as a sender sends it. */
export const EXAMPLE = `{
  "title": "Disk of db-1 is almost full",
  "severity": "ERROR",
  "resource": "host:db-1",
  "tags": ["prod"]
}`;

type Pasted = { event: Record<string, unknown>; fault: null } | { event: null; fault: string };

/** The event of a pasted text, or why it is none. The service checks its fields. */
export function pastedEvent(text: string): Pasted {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { event: null, fault: 'This is not valid JSON. Paste one event as a sender sends it.' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { event: null, fault: 'An event is an object, such as {"title": "Disk full"}.' };
  return { event: value as Record<string, unknown>, fault: null };
}
