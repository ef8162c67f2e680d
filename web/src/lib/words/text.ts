/** A scalar as the text of a field; what has no text of its own (an object, nothing) is empty. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
