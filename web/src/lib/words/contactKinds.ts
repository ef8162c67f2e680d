/** How a person is reached, by the kind of the contact. */
const KINDS: Record<string, string> = {
  push: 'Phone push',
  email: 'Mail',
  twilio_sms: 'SMS',
  twilio_voice: 'Call',
  call_request: 'Call',
  telegram: 'Telegram',
  ntfy: 'ntfy',
  pushover: 'Pushover',
};

export function contactKind(kind: string): string {
  return KINDS[kind] ?? kind;
}
