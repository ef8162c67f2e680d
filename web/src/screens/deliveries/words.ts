import type { AttemptRecord, DeliveryRecord } from '@/api';

export const STATUSES: Record<DeliveryRecord['status'], string> = {
  pending: 'Pending',
  sending: 'Sending',
  retrying: 'Retrying',
  held: 'Held',
  sent: 'Sent',
  failed: 'Failed',
  skipped: 'Skipped',
  expired: 'Expired',
  gathered: 'In a digest',
};

export const REASONS: Record<DeliveryRecord['reason'], string> = {
  opened: 'Opened',
  reoccurred: 'Fired again',
  escalated: 'Escalated',
  reopened: 'Reopened',
  resolved: 'Resolved',
  renotify: 'Reminder',
  fallback: 'Fallback',
  flapping: 'Flapping',
  silence_expired: 'Silence expired',
  snooze_expired: 'Snooze expired',
  informational: 'Informational',
  acknowledged: 'Acknowledged',
  snoozed: 'Snoozed',
  updated: 'Updated',
  test: 'Test',
  digest: 'Digest',
  on_call: 'On call',
};

const CAUSES: Record<string, string> = {
  stopped: 'The destination is stopped',
  quiet_hours: 'Held by quiet hours',
  digest: 'Collected for a digest',
  summary: 'Part of a summary of many notifications',
  deleted: 'The destination was deleted',
  disabled: 'The destination is disabled',
  superseded: 'A newer notification replaced it',
  resolved_meanwhile: 'The incident was resolved first',
  silenced: 'A silence covers the incident',
  timeout: 'The receiver did not respond in time',
  name_unknown: 'The host name is unknown',
  address_refused: 'The address is not allowed',
  connect_failed: 'The connection failed',
  tls_failed: 'The TLS handshake failed',
  connection_lost: 'The connection was lost',
  bad_answer: 'The response was not HTTP',
  unsendable: 'The request could not be built',
  message_refused: 'The service refused the message',
  destination_refused: 'The service refused the credential or the recipient',
  service_busy: 'The service was busy',
  undelivered: 'The service could not deliver the message',
};

/** A cause in words; `http_503` is a status of the receiver. */
export function causeOf(cause: string): string {
  const status = /^http_(\d{3})$/.exec(cause)?.[1];
  return status ? `The receiver responded with ${status}` : (CAUSES[cause] ?? cause);
}

export function answerOf(attempt: AttemptRecord | undefined): string {
  if (!attempt) return 'No attempt yet';
  if (attempt.statusCode === null) return attempt.error ? causeOf(attempt.error) : 'No response';
  return `HTTP ${attempt.statusCode}${attempt.durationMs === null ? '' : ` · ${attempt.durationMs.toLocaleString()} ms`}`;
}
