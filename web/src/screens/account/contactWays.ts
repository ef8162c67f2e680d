import type { ContactMethodNew, ContactProvider } from '@/api';
import { contactKind } from '@/lib/words/contactKinds';

/** A way to add a contact method: mail, or a provider of a workspace. */
export type Way = {
  value: string;
  label: string;
  kind: ContactMethodNew['kind'];
  providerId: ContactProvider['id'] | null;
  field: string;
  example: string;
  pattern: string | null;
};

const MAIL: Way = {
  value: 'email',
  label: 'Mail',
  kind: 'email',
  providerId: null,
  field: 'Email address',
  example: '',
  pattern: '.+@.+',
};

/** Mail first, then the providers. A label has the workspace, since a provider pages in its own alone. */
export function waysOf(sendsMail: boolean, providers: readonly ContactProvider[]): Way[] {
  return [
    ...(sendsMail ? [MAIL] : []),
    ...providers.map((each) => ({
      value: each.id,
      label: `${contactKind(each.kind)}: ${each.name} (${each.workspaceName})`,
      kind: each.kind as ContactMethodNew['kind'],
      providerId: each.id,
      field: /^twilio_|^call_/.test(each.kind) ? 'Phone number' : each.fieldLabel,
      example: each.example,
      pattern: each.pattern,
    })),
  ];
}

/** Whether an address can be sent. The service says the rest. */
export function isAddress({ pattern }: Way, address: string): boolean {
  return pattern === null ? address !== '' : new RegExp(`^(?:${pattern})$`, 'u').test(address);
}
