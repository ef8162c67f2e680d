import type { KeyRecord } from '@/api';

type KindText = { label: string; article: string; about: string };

/** The kinds of keys of a source in words. */
export const KEY_KINDS: Record<KeyRecord['kind'], KindText> = {
  source_key: { label: 'Key', article: 'a key', about: 'For scripts and tools that can send a header.' },
  alias_token: {
    label: 'Alias token',
    article: 'an alias token',
    about: 'For senders in the legacy push format, which allows 15 characters.',
  },
  signing_secret: {
    label: 'Signing secret',
    article: 'a signing secret',
    about: 'For tools that sign their requests to this source.',
  },
  ping_key: {
    label: 'Ping key',
    article: 'a ping key',
    about: 'For pinging heartbeat monitors of this source by slug. It cannot send events.',
  },
  mail_address: {
    label: 'Mail address',
    article: 'a mail address',
    about: 'For senders that can only send mail. It is the part of the address before the @.',
  },
};
