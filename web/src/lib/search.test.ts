import { describe, expect, it } from 'vitest';
import { filtersOf, parseSearch, without } from '@/lib/search';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SOURCES = [{ id: 'src_1', name: 'My db' }];
const filters = (text: string) => filtersOf(parseSearch(text), SOURCES, NOW);

describe('the search field', () => {
  it('reads free words as a search of the text', () => {
    expect(filters('  disk   full ')).toEqual({ filters: { q: 'disk full' }, faults: [] });
  });

  it.each([
    ['severity:error', { severity: 'ERROR' }],
    ['severity>=warning', { minSeverity: 'WARNING' }],
    ['source:"my DB"', { sourceId: 'src_1' }],
    ['source:src_1', { sourceId: 'src_1' }],
    ['tag:prod', { tag: 'prod' }],
    ['resource:db-1', { resource: 'db-1' }],
    ['is:flapping', { flapping: true }],
    ['last:24h', { since: '2026-02-28T12:00:00.000Z' }],
    ['last:30m', { since: '2026-03-01T11:30:00.000Z' }],
    ['last:7d', { since: '2026-02-22T12:00:00.000Z' }],
  ])('reads the token %s', (text, expected) => {
    expect(filters(text)).toEqual({ filters: expected, faults: [] });
  });

  it('keeps words and tokens apart', () => {
    expect(filters('disk tag:prod full').filters).toEqual({ q: 'disk full', tag: 'prod' });
  });

  it('leaves what only looks like a token in the words', () => {
    expect(filters('http://db:5432').filters).toEqual({ q: 'http://db:5432' });
  });

  it.each([
    ['severity:worse', '“worse”'],
    ['source:nobody', '“nobody”'],
    ['last:soon', '30m, 24h or 7d'],
    ['is:odd', '“is:odd”'],
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
});
