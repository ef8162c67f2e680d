import { describe, expect, it } from 'vitest';
import { areSame, filtersOf, kindsOf, namedBy, parseSearch, textOf, tokenOf, without } from '@/lib/incidents/search';

const NAMES = {
  source: [
    { id: 'src_1', name: 'My db' },
    { id: 'src_2', name: 'Cron' },
  ],
  rule: [{ id: 'rul_1', name: 'Databases' }],
  profile: [{ id: 'prf_1', name: 'On call' }],
  person: [{ id: 'usr_1', name: 'Mia Novak' }],
};
const filters = (text: string) => filtersOf(parseSearch(text), NAMES);

describe('the search field', () => {
  it('reads free words as a search of the text', () => {
    expect(filters('  disk   full ')).toEqual({ filters: { q: 'disk full' }, faults: [] });
  });

  it.each([
    ['severty:error', 'severity:'],
    ['Severity:error', 'severity:'],
    ['severitty>=error', 'severity>='],
    ['sevreity:error', 'severity:'],
    ['tags:prod', 'tag:'],
  ])('asks about the slip in %s, and searches it as text', (text, meant) => {
    const { filters: found, faults } = filters(text);
    expect(found).toEqual({ q: text });
    expect(faults).toEqual([expect.stringContaining(`Did you mean “${meant}”?`)]);
  });

  it.each(['host:db-1', 'job:backup', 'https://example.org', 'site:shop', 'ip:10.0.0.1'])(
    'has no doubt about %s',
    (text) => {
      expect(filters(text)).toEqual({ filters: { q: text }, faults: [] });
    },
  );

  it.each([
    ['severity:error', { severity: ['ERROR'] }],
    ['severity:error severity:critical', { severity: ['ERROR', 'CRITICAL'] }],
    ['severity>=warning', { minSeverity: 'WARNING' }],
    ['source:"my DB"', { sourceId: ['src_1'] }],
    ['source:src_1 source:cron', { sourceId: ['src_1', 'src_2'] }],
    ['tag:prod tag:prod', { tag: ['prod'] }],
    ['resource:host:db-1', { resource: ['host:db-1'] }],
    ['kind:host', { resourceKind: ['host'] }],
    ['type:disk.usage', { type: ['disk.usage'] }],
    ['key:"disk db-1"', { dedupKey: ['disk db-1'] }],
    ['fingerprint:f1:0c5f', { fingerprint: ['f1:0c5f'] }],
    ['rule:databases', { ruleId: ['rul_1'] }],
    ['profile:"on call"', { routingProfileId: ['prf_1'] }],
    ['silence:sil_1', { silenceId: ['sil_1'] }],
    ['assignee:me', { assigneeId: ['me'] }],
    ['assignee:none assignee:"Mia Novak"', { assigneeId: ['none', 'usr_1'] }],
    ['ack:me', { acknowledgedBy: ['me'] }],
    ['is:flapping', { flapping: true }],
    ['last:24h', { last: '24h' }],
  ])('reads the token %s', (text, expected) => {
    expect(filters(text)).toEqual({ filters: expected, faults: [] });
  });

  it('keeps words and tokens apart', () => {
    expect(filters('disk tag:prod full').filters).toEqual({ q: 'disk full', tag: ['prod'] });
  });

  it('keeps text that only looks like a token as words', () => {
    expect(filters('http://db:5432').filters).toEqual({ q: 'http://db:5432' });
  });

  it.each([
    ['severity:worse', '“worse”'],
    ['source:nobody', '“nobody”'],
    ['last:soon', '30m, 24h or 7d'],
    ['is:odd', '“is:odd”'],
    ['rule:nobody', 'rule “nobody”'],
    ['ack:none', 'member “none”'],
    ['silence:all', '“silence:all”'],
  ])('reports the fault of %s and sends no filter for it', (text, part) => {
    const { filters: sent, faults } = filters(text);
    expect(sent).toEqual({});
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(part);
  });

  it('removes one token and keeps the others', () => {
    const [token] = parseSearch('disk tag:prod full').tokens;
    expect(without('disk tag:prod full', token!)).toBe('disk full');
  });

  it('keeps a longer token that begins like the removed one', () => {
    const [, token] = parseSearch('tag:prod-eu tag:prod').tokens;
    expect(without('tag:prod-eu tag:prod', token!)).toBe('tag:prod-eu');
  });

  it('accepts the id of an unlisted record, if its kind is right', () => {
    const id = '01900000000000000000000000';
    expect(filters(`rule:rul_${id}`).filters).toEqual({ ruleId: [`rul_${id}`] });
    expect(filters(`rule:src_${id}`).faults).toHaveLength(1);
  });

  it.each([
    [
      { q: 'disk full', severity: ['ERROR', 'CRITICAL'], minSeverity: 'WARNING' },
      'disk full severity:error severity:critical severity>=warning',
    ],
    [
      { sourceId: ['src_1'], ruleId: ['rul_1'], assigneeId: ['none', 'usr_1'] },
      'source:"My db" rule:Databases assignee:none assignee:"Mia Novak"',
    ],
    [{ tag: 'prod', type: ['disk.usage'], resourceKind: ['host'] }, 'tag:prod type:disk.usage kind:host'],
    [{ flapping: true, last: '24h', silenceId: ['sil_1'] }, 'is:flapping last:24h silence:sil_1'],
    [{}, ''],
  ])('writes the filters %j as text that means the same', (given, text) => {
    expect(textOf(given, NAMES)).toBe(text);
    expect(areSame(filters(text).filters, given)).toBe(true);
  });

  it.each([{ since: '2026-11-21T09:00:00.000Z' }, { flapping: false }, { q: 'tag:prod' }, { tag: ['a"b c'] }])(
    'writes no text for %j, which it cannot express',
    (given) => {
      expect(textOf(given, NAMES)).toBeNull();
    },
  );

  it('names a record by its id where two records share the name', () => {
    const twice = { source: [...NAMES.source, { id: 'src_3', name: 'cron' }] };
    expect(textOf({ sourceId: ['src_3'] }, twice)).toBe('source:src_3');
  });

  it('lists the kinds of records whose names the filters need', () => {
    expect(kindsOf({ ruleId: ['rul_1'], tag: ['a'], acknowledgedBy: ['me'] })).toEqual(['rule', 'person']);
  });

  it('names the records that must be read first', () => {
    expect(namedBy(parseSearch('disk tag:prod rule:a assignee:b ack:me'))).toEqual(new Set(['rule', 'person']));
    expect(namedBy(parseSearch('disk tag:prod'))).toEqual(new Set());
  });

  it.each([
    ['tag', 'prod', 'tag:prod'],
    ['source', 'My db', 'source:"My db"'],
  ])('writes the token of %s %s', (name, value, token) => {
    expect(tokenOf(name, value)).toBe(token);
    expect(parseSearch(tokenOf(name, value)).tokens).toMatchObject([{ name, value }]);
  });
});
