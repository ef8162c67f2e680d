import type { KeyRecord } from '@/api';

type KindText = { label: string; article: string; about: string };

/** The kinds of keys of a source in words. */
export const KEY_KINDS: Record<KeyRecord['kind'], KindText> = {
  source_key: { label: 'Key', article: 'a key', about: 'For scripts, and for tools that can send a header.' },
  alias_token: {
    label: 'Alias token',
    article: 'an alias token',
    about: 'For senders in the legacy push format, which has room for 15 characters.',
  },
  signing_secret: {
    label: 'Signing secret',
    article: 'a signing secret',
    about: 'For a tool that signs what it sends, at the address of this source.',
  },
  ping_key: {
    label: 'Ping key',
    article: 'a ping key',
    about: 'For pings of the heartbeat monitors of this source by their slugs. It sends no event.',
  },
  mail_address: {
    label: 'Mail address',
    article: 'a mail address',
    about: 'For senders that can only mail. It is the part of the address before the @.',
  },
};
