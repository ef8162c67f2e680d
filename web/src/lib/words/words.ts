import type { IncidentRecord } from '@/api';

export type Severity = IncidentRecord['severity'];
export type State = IncidentRecord['state'];

/** From the worst to the least. */
export const SEVERITIES: readonly Severity[] = ['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'SUCCESS', 'DEBUG'];

export const SEVERITY_WORD: Record<Severity, string> = {
  CRITICAL: 'Critical',
  ERROR: 'Error',
  WARNING: 'Warning',
  INFO: 'Info',
  SUCCESS: 'Success',
  DEBUG: 'Debug',
};

export const STATE_WORD: Record<State, string> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  snoozed: 'Snoozed',
  silenced: 'Silenced',
  resolved: 'Resolved',
};

/** "1 incident", "3 incidents". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

/** "Pager", "Pager and Chat", "Pager, Chat and Mail". */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
