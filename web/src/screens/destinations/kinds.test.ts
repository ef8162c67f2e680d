import { describe, expect, it } from 'vitest';
import type { ConfigField, DestinationKindRecord, DestinationRecord } from '@/api';
import { configOf, entered, faultOf, headersOf, sentConfig, targetText } from '@/screens/destinations/kinds';

function field(change: Partial<ConfigField>): ConfigField {
  return {
    name: 'x',
    label: 'X',
    type: 'text',
    help: '',
    example: '',
    required: true,
    secret: false,
    hintName: null,
    generate: null,
    maxLength: null,
    pattern: null,
    choices: [],
    default: null,
    sentTo: null,
    whenAbsent: null,
    ...change,
  };
}

const KIND: DestinationKindRecord = {
  kind: 'chat',
  label: 'Chat',
  summary: '',
  icon: 'chat',
  available: true,
  contactField: null,
  unavailableBecause: null,
  docsUrl: 'https://inbox.example.org/docs/destinations/chat',
  can: { edits: false, threads: false, replaces: false, actionLinks: false, digests: false, templates: false },
  limits: { textLength: null, paceSeconds: null },
  target: 'room',
  modes: [],
  fields: [
    field({ name: 'room' }),
    field({ name: 'token', type: 'secret', secret: true }),
    field({ name: 'priority', type: 'number', required: false }),
    field({ name: 'silent', type: 'flag', required: false }),
    field({ name: 'signing', type: 'secret', secret: true, generate: 'whsec' }),
  ],
};

describe('headers', () => {
  const headers = field({ name: 'headers', type: 'headers', secret: true, required: false });

  it('are one a line, and sent by their names', () => {
    const kind = { ...KIND, fields: [headers] };
    const text = ' Authorization:  Bearer a:b \n\nX-Tenant: shop';
    const sent = { headers: { Authorization: 'Bearer a:b', 'X-Tenant': 'shop' } };
    expect(sentConfig(kind, { headers: text }, false).config).toEqual(sent);
    expect(sentConfig(kind, { headers: '' }, false).config).toEqual({});
    expect(sentConfig(kind, { headers: null }, false).config).toEqual({ headers: null });
  });

  it('are asked for again in another form', () => {
    for (const text of ['Authorization', 'X-Tenant:', 'X Tenant: shop', ': shop', 'X: 1\nx: 2']) {
      expect(headersOf(text)).toBeNull();
      expect(faultOf(headers, text, true)).toContain('one header a line');
    }
    expect(faultOf(headers, 'X: 1', true)).toBeNull();
  });
});

describe('the form of a kind', () => {
  it('asks for every field but those that the browser makes', () => {
    expect(entered(KIND).map((each) => each.name)).toEqual(['room', 'token', 'priority', 'silent']);
  });

  it('begins with the settings and never with a secret', () => {
    expect(configOf(KIND, null)).toEqual({ room: '', token: '', priority: '', silent: false, signing: '' });
  });

  it('takes the default of a flag that a known destination does not have', () => {
    const kind = { ...KIND, fields: [field({ name: 'silent', type: 'flag', default: true })] };
    const existing = (config: Record<string, unknown>) => ({ config }) as DestinationRecord;
    expect(configOf(kind, existing({}))).toEqual({ silent: true });
    expect(configOf(kind, existing({ silent: false }))).toEqual({ silent: false });
  });

  it('sends entered values by their type, and a new secret', () => {
    const values = { room: ' #ops ', token: 't', priority: '3', silent: true, signing: '' };
    const { config, made } = sentConfig(KIND, values, true);
    expect(config).toEqual({
      room: '#ops',
      token: 't',
      priority: 3,
      silent: true,
      signing: expect.stringMatching(/^whsec_.{44}$/) as string,
    });
    expect(made.map((each) => each.secret)).toEqual([config.signing]);
  });

  it('leaves out secrets that stay as they are', () => {
    const { config } = sentConfig(KIND, { room: '#ops', token: '', priority: '', silent: false, signing: '' }, false);
    expect(config).toEqual({ room: '#ops', priority: null, silent: false });
  });

  it('removes a cleared secret', () => {
    const { config } = sentConfig(
      KIND,
      { room: '#ops', token: null, priority: '1', silent: false, signing: '' },
      false,
    );
    expect(config.token).toBeNull();
  });

  it('begins with the default of a field only where the destination is new', () => {
    const kind = {
      ...KIND,
      fields: [field({ name: 'region', default: 'us' }), field({ name: 'loud', type: 'flag', default: true })],
    };
    const existing = { config: { region: 'eu', loud: false } } as unknown as DestinationRecord;
    expect(configOf(kind, null)).toEqual({ region: 'us', loud: true });
    expect(configOf(kind, existing)).toEqual({ region: 'eu', loud: false });
  });
});

describe('the text that distinguishes destinations', () => {
  it('is the target, or else the end of a secret', () => {
    const kind = { ...KIND, fields: [field({ name: 'token', secret: true, hintName: 'tokenHint' })] };
    expect(targetText(kind, { room: '#ops', tokenHint: '…1234' })).toBe('#ops');
    expect(targetText(kind, { tokenHint: '…1234' })).toBe('…1234');
    expect(targetText(undefined, {})).toBe('');
  });
});

describe('a field', () => {
  it('must be filled in if it is required, except a stored secret', () => {
    expect(faultOf(field({}), ' ', true)).not.toBeNull();
    expect(faultOf(field({ required: false }), '', true)).toBeNull();
    expect(faultOf(field({ secret: true }), '', false)).toBeNull();
    expect(faultOf(field({ secret: true }), '', true)).not.toBeNull();
  });

  it('must be valid if its type is an address or a number', () => {
    expect(faultOf(field({ type: 'url' }), 'ftp://x', true)).not.toBeNull();
    expect(faultOf(field({ type: 'url' }), 'https://x', true)).toBeNull();
    expect(faultOf(field({ type: 'number' }), 'x', true)).not.toBeNull();
    expect(faultOf(field({ pattern: '[CG][A-Z0-9]+', example: 'C01' }), 'general', true)).toContain('C01');
    expect(faultOf(field({ pattern: '[CG][A-Z0-9]+' }), 'C01', true)).toBeNull();
  });
});
