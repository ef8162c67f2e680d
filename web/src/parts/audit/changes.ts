export type Change = { field: string; before?: unknown; after?: unknown };

/** The changed fields of an entry, and what else its details hold. */
export function changesOf(details: Record<string, unknown>): { changes: Change[]; rest: Record<string, unknown> } {
  const { changes, ...rest } = details;
  if (!Array.isArray(changes) || !changes.every(isChange)) return { changes: [], rest: details };
  return { changes, rest };
}

/** A value as a person reads it. A field whose values are not recorded has none. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'not recorded';
  if (value === null || value === '') return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length === 0) return 'nothing';
  return JSON.stringify(value, null, 1);
}

function isChange(value: unknown): value is Change {
  return typeof value === 'object' && value !== null && typeof (value as Change).field === 'string';
}
