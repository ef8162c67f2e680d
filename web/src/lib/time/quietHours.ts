import type { WorkspaceRecord } from '@/api';

/** Whether the time has passed at which the quiet hours change: their end, or else their next start. */
export function isOver(quiet: WorkspaceRecord['quiet'], now: number): boolean {
  const change = quiet.until ?? quiet.nextAt;
  return change !== null && now >= Date.parse(change);
}
