import { describe, expect, it } from 'vitest';
import type { ConfigField } from '@/api';
import { askAgain, isStored } from '@/screens/destinations/secretPlaces';

function field(change: Partial<ConfigField>): ConfigField {
  return {
    name: 'token',
    label: 'Bot token',
    type: 'secret',
    help: '',
    example: '',
    required: true,
    secret: true,
    hintName: 'tokenHint',
    generate: null,
    maxLength: null,
    pattern: null,
    choices: [],
    default: null,
    sentTo: ['server'],
    whenAbsent: null,
    ...change,
  };
}

const TOKEN = field({});
const SERVER = field({ name: 'server', label: 'Server', type: 'url', secret: false, sentTo: null });
const EXISTING = { server: 'https://chat.example.org/team/', tokenHint: '…1234', room: '!a' };

function asks(server: string, existing: Record<string, unknown> = EXISTING, token = TOKEN, place = SERVER) {
  return askAgain(token, [place, token], existing, { server, token: '', room: '!b' });
}

describe('a stored secret', () => {
  it('is asked for again when the server changes', () => {
    expect(asks('https://other.example.org/team/')).toBe('Enter the bot token again: the server changed.');
  });

  it.each([
    'http://chat.example.org/team/',
    'https://chat.example.org:8443/team/',
    'https://chat.example.org/other/',
    'https://chat.example.org/team?x=1',
    '',
    'no address',
  ])('is asked for again at %j', (server) => {
    expect(asks(server)).not.toBeNull();
  });

  it.each([
    'https://chat.example.org/team/',
    'https://chat.example.org/team',
    ' HTTPS://Chat.Example.ORG:443/team// ',
    'https://chat.example.org./team',
  ])('stays at %j, which is the same place', (server) => {
    expect(asks(server)).toBeNull();
  });

  it('stays when an absent server stands for the entered one', () => {
    const server = { ...SERVER, whenAbsent: 'https://slack.com' };
    expect(asks('https://slack.com/', { tokenHint: '…1234' }, TOKEN, server)).toBeNull();
    expect(asks('', { tokenHint: '…1234', server: 'https://slack-gov.com' }, TOKEN, server)).not.toBeNull();
  });

  it('compares a choice by its value', () => {
    const region = field({ name: 'server', label: 'API Region', type: 'choice', secret: false, sentTo: null });
    expect(asks('eu', { server: 'eu', tokenHint: '…1' }, TOKEN, region)).toBeNull();
    expect(asks('us', { server: 'eu', tokenHint: '…1' }, TOKEN, region)).toContain('the API Region changed');
  });

  it('stays when no field says where it is sent', () => {
    expect(asks('https://other.example.org', EXISTING, field({ sentTo: [] }))).toBeNull();
  });

  it('is not asked for when it is removed or entered, or when none is stored', () => {
    const values = { server: 'https://other.example.org', token: null };
    const optional = field({ required: false });
    expect(askAgain(optional, [SERVER, optional], EXISTING, values)).toBeNull();
    expect(askAgain(TOKEN, [SERVER, TOKEN], EXISTING, { ...values, token: 'new' })).toBeNull();
    expect(asks('https://other.example.org', { server: 'https://chat.example.org' }, optional)).toBeNull();
  });

  it('is recognised by its hint, or because the kind requires it', () => {
    expect(isStored(TOKEN, null)).toBe(false);
    expect(isStored(TOKEN, {})).toBe(true);
    expect(isStored(field({ required: false }), {})).toBe(false);
    expect(isStored(field({ required: false }), EXISTING)).toBe(true);
  });
});
