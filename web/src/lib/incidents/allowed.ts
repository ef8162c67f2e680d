import type { IncidentRecord } from '@/api';

type State = IncidentRecord['state'];
type StateAct = 'acknowledge' | 'unacknowledge' | 'snooze' | 'unsnooze' | 'resolve' | 'reopen' | 'notify';

/** The states that an act changes. In the others the service refuses it, or has nothing to do. */
const STATES: Record<StateAct, readonly State[]> = {
  acknowledge: ['open', 'snoozed'],
  unacknowledge: ['acknowledged'],
  snooze: ['open', 'acknowledged', 'snoozed'],
  unsnooze: ['snoozed'],
  resolve: ['open', 'acknowledged', 'snoozed', 'silenced'],
  reopen: ['resolved'],
  notify: ['open', 'acknowledged'],
};

/** Returns whether an act changes an incident in one of these states. */
export function allows(act: StateAct, ...states: State[]): boolean {
  return states.some((state) => STATES[act].includes(state));
}
