import type { BulkRequest, IncidentRecord } from '@/api';

export type BulkAction = Extract<
  BulkRequest['action'],
  'acknowledge' | 'snooze' | 'unsnooze' | 'resolve' | 'reopen' | 'assign'
>;

/** The acts that change at least one of these incidents, the usual one first. Everything can be assigned. */
export function bulkActs(states: Iterable<IncidentRecord['state']>): BulkAction[] {
  const found = new Set(states);
  const has = (...some: IncidentRecord['state'][]) => some.some((each) => found.has(each));
  const acts: [BulkAction, boolean][] = [
    ['acknowledge', has('open', 'snoozed', 'silenced')],
    ['unsnooze', has('snoozed')],
    ['snooze', has('open', 'acknowledged', 'snoozed', 'silenced')],
    ['resolve', has('open', 'acknowledged', 'snoozed', 'silenced')],
    ['reopen', has('resolved')],
    ['assign', found.size > 0],
  ];
  return acts.filter(([, is]) => is).map(([act]) => act);
}
