import { describe, expect, it } from 'vitest';
import { filtersOf, namedBy, parseSearch, tokenOf, without } from '@/lib/search';

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

  it('leaves what only looks like a token in the words', () => {
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
  ])('says what is wrong with %s and sends no filter for it', (text, part) => {
    const { filters: sent, faults } = filters(text);
    expect(sent).toEqual({});
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(part);
  });

  it('takes one token out and leaves the rest', () => {
    const [token] = parseSearch('disk tag:prod full').tokens;
    expect(without('disk tag:prod full', token!)).toBe('disk full');
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
