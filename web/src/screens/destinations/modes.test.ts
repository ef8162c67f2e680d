import { describe, expect, it } from 'vitest';
import type { ConfigField, DestinationKindRecord, DestinationRecord } from '@/api';
import { configInMode, fieldsInMode, modeOf } from '@/screens/destinations/modes';

const field = (name: string, secret = false) =>
  ({
    name,
    secret,
    type: secret ? 'secret' : 'text',
    required: false,
    generate: null,
    hintName: secret ? `${name}Hint` : null,
  }) as ConfigField;
const KIND = {
  modes: [
    { label: 'Webhook', needs: ['url'], takes: [] },
    { label: 'Bot', needs: ['token', 'channel'], takes: ['server'] },
  ],
  fields: [field('url', true), field('token', true), field('channel'), field('server'), field('mention')],
} as unknown as DestinationKindRecord;
const stored = (config: Record<string, unknown>) => ({ config }) as DestinationRecord;

describe('the modes of a kind', () => {
  it('begin with the first one, and with that of a known destination', () => {
    expect(modeOf(KIND, null)).toBe('Webhook');
    expect(modeOf(KIND, stored({ tokenHint: 'abcd', channel: 'C01' }))).toBe('Bot');
    expect(modeOf({ ...KIND, modes: [] }, null)).toBe('');
  });

  it('show their own fields and those of all modes', () => {
    const names = (label: string) => fieldsInMode(KIND, label, true).map((each) => each.name);
    expect(names('Webhook')).toEqual(['url', 'mention']);
    expect(names('Bot')).toEqual(['token', 'channel', 'server', 'mention']);
  });

  it('require what they need of a new destination', () => {
    const required = (isNew: boolean) => fieldsInMode(KIND, 'Bot', isNew).filter((each) => each.required).length;
    expect([required(true), required(false)]).toEqual([2, 0]);
  });

  it('drop the settings of another mode, and stored secrets when they are saved', () => {
    const values = { url: '', token: 'xoxb', channel: 'C01', server: '', mention: 'here' };
    expect(configInMode(KIND, 'Webhook', values, null)).toEqual({ ...values, token: '', channel: '' });
    const known = stored({ tokenHint: 'abcd', channel: 'C01' });
    expect(configInMode(KIND, 'Webhook', values, known)).toMatchObject({ token: null, channel: '' });
  });
});
