import { describe, expect, it } from 'vitest';
import { parseSearch } from '@/lib/incidents/search';
import { FACETS, type FacetName, rowsOf, type Searched, toggled } from '@/screens/inbox/facets';

const MIA = 'usr_01900000000000000000000001';
const NAMES = {
  source: [{ id: 'src_1', name: 'My db' }],
  rule: [{ id: 'rul_1', name: 'Databases' }],
  person: [{ id: MIA, name: 'Mia Novak' }],
};
const searched = (text: string): Searched => ({ text, search: parseSearch(text), names: NAMES, me: MIA });
const facet = (...values: [string, number][]) => ({
  values: values.map(([value, count]) => ({ value, label: value, count })),
  more: false,
});

describe('the facets of the inbox', () => {
  it('shows the values of the answer and marks those that the search chose', () => {
    expect(rowsOf('tag', facet(['prod', 3], ['db', 1]), searched('disk tag:db'))).toEqual([
      { value: 'prod', label: 'prod', count: 3, isChosen: false },
      { value: 'db', label: 'db', count: 1, isChosen: true },
    ]);
  });

  it('sorts severities from the worst to the least, with their words', () => {
    const rows = rowsOf('severity', facet(['WARNING', 9], ['CRITICAL', 1]), searched('severity:info'));
    expect(rows.map((each) => [each.label, each.count])).toEqual([
      ['Critical', 1],
      ['Warning', 9],
      ['Info', 0],
    ]);
  });

  it('shows a chosen value that the answer does not have, with a number only where all values are there', () => {
    expect(rowsOf('ruleId', facet(), searched('rule:databases'))).toEqual([
      { value: 'rul_1', label: 'Databases', count: 0, isChosen: true },
    ]);
    expect(rowsOf('tag', { ...facet(['a', 1]), more: true }, searched('tag:rare'))[1]).toMatchObject({ count: null });
    expect(rowsOf('tag', undefined, searched('tag:rare'))[0]).toMatchObject({ count: null });
  });

  it('replaces "me" by the reading person', () => {
    expect(rowsOf('assigneeId', facet([MIA, 2]), searched('assignee:me'))).toMatchObject([{ isChosen: true }]);
    expect(toggled('assigneeId', MIA, searched('disk assignee:me'))).toBe('disk');
  });

  it.each<[FacetName, string, string]>([
    ['severity', 'ERROR', 'disk severity:error'],
    ['sourceId', 'src_1', 'disk source:"My db"'],
    ['tag', 'on call', 'disk tag:"on call"'],
    ['resourceKind', 'host', 'disk kind:host'],
    ['type', 'disk.usage', 'disk type:disk.usage'],
    ['assigneeId', 'none', 'disk assignee:none'],
    ['assigneeId', MIA, 'disk assignee:"Mia Novak"'],
    ['ruleId', 'rul_1', 'disk rule:Databases'],
  ])('adds a token for %s %s and removes it again', (name, value, text) => {
    expect(toggled(name, value, searched('disk'))).toBe(text);
    expect(toggled(name, value, searched(text))).toBe('disk');
  });

  it('keeps a minimum severity', () => {
    expect(toggled('severity', 'ERROR', searched('severity>=error'))).toBe('severity>=error severity:error');
  });

  it('has each facet once', () => {
    expect(new Set(FACETS.map((each) => each.name)).size).toBe(FACETS.length);
  });
});
