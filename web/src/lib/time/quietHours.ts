import type { WorkspaceRecord } from '@/api';

/** Returns whether the next change of the quiet hours has passed: their end, or else their next start. */
export function isOver(quiet: WorkspaceRecord['quiet'], now: number): boolean {
  const change = quiet.until ?? quiet.nextAt;
  return change !== null && now >= Date.parse(change);
}
