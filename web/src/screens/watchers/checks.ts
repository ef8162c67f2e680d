import type { CheckRecord, WatcherRecord } from '@/api';

export type CheckStatus = CheckRecord['status'];

/** From what needs attention to what rests. */
export const CHECK_STATUSES: readonly CheckStatus[] = ['fail', 'warn', 'ok'];

/** The number of checks of each status that occurs, the worst first. */
export function countByStatus(checks: readonly CheckRecord[]): [CheckStatus, number][] {
  return CHECK_STATUSES.map((status): [CheckStatus, number] => [
    status,
    checks.filter((each) => each.status === status).length,
  ]).filter(([, count]) => count > 0);
}

/** The checks, the worst first and then in their order. */
export function worstFirst(checks: readonly CheckRecord[]): CheckRecord[] {
  return [...checks].sort((one, other) => rank(one) - rank(other));
}

/** The watchers that contain each of the words. What is down comes first, then what has a bad check, then the rest by name. */
export function found(watchers: readonly WatcherRecord[], words: string): WatcherRecord[] {
  const required = words.toLowerCase().split(/\s+/);
  return watchers
    .filter((each) => required.every((word) => text(each).includes(word)))
    .sort((one, other) => urgency(one) - urgency(other) || one.name.localeCompare(other.name));
}

function text({ name, hostname, watcherId, labels }: WatcherRecord): string {
  return [name, hostname, watcherId, ...Object.entries(labels).flat()].join('\n').toLowerCase();
}

function rank({ status }: CheckRecord): number {
  return CHECK_STATUSES.indexOf(status);
}

function urgency({ status, checks }: WatcherRecord): number {
  const silent = { down: 0, late: 2 }[status as string] ?? 4;
  return Math.min(silent, ...checks.map((each) => rank(each) * 2 + 1));
}
