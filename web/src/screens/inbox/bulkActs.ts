import type { BulkRequest, IncidentRecord } from '@/api';
import { allows } from '@/lib/incidents/allowed';

export type BulkAction = Extract<
  BulkRequest['action'],
  'acknowledge' | 'snooze' | 'unsnooze' | 'resolve' | 'reopen' | 'assign'
>;

const IN_ORDER: readonly BulkAction[] = ['acknowledge', 'unsnooze', 'snooze', 'resolve', 'reopen', 'assign'];

/** The acts that change at least one of these incidents, the usual one first. Everything can be assigned. */
export function bulkActs(states: Iterable<IncidentRecord['state']>): BulkAction[] {
  const found = [...states];
  return IN_ORDER.filter((act) => (act === 'assign' ? found.length > 0 : allows(act, ...found)));
}
