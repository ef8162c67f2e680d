import { describe, expect, it } from 'vitest';
import { isComplete, matchOf, requestOf, simpleOf, treeOf } from '@/parts/match/tree';

const ERROR = { field: 'severity', op: 'gte', value: 'ERROR' };
const PROD = { field: 'tags', op: 'has', value: 'prod' };

describe('the condition builder', () => {
  it.each([
    ['one clause', ERROR, { join: 'all', clauses: [ERROR] }],
    ['all of two', { all: [ERROR, PROD] }, { join: 'all', clauses: [ERROR, PROD] }],
    ['any of two', { any: [ERROR, PROD] }, { join: 'any', clauses: [ERROR, PROD] }],
    ['every event', { all: [] }, { join: 'all', clauses: [] }],
  ])('shows %s as rows', (_, tree, simple) => {
    expect(simpleOf(tree)).toEqual(simple);
  });

  it.each([
    ['a group in a group', { all: [ERROR, { any: [PROD, ERROR] }] }],
    ['a negation', { not: ERROR }],
  ])('leaves %s to the text', (_, tree) => {
    expect(simpleOf(tree)).toBeNull();
    expect(matchOf({ match: tree, matchText: 'as text' })).toEqual({ text: 'as text' });
  });

  it.each([[ERROR], [{ all: [ERROR, PROD] }], [{ any: [ERROR, PROD] }], [{ all: [] }]])(
    'sends back the tree that it read: %j',
    (tree) => {
      expect(requestOf(matchOf({ match: tree, matchText: '' }))).toEqual({ match: tree });
    },
  );

  it('writes one clause without a group', () => {
    expect(treeOf({ join: 'any', clauses: [ERROR] })).toEqual(ERROR);
  });

  it.each([
    ['no value', { ...ERROR, value: '' }],
    ['an empty list', { ...ERROR, value: [] }],
    ['no field', { ...ERROR, field: '' }],
    ['metadata without a key', { ...ERROR, field: 'metadata.' }],
  ])('is not complete with %s', (_, clause) => {
    expect(isComplete({ simple: { join: 'all', clauses: [PROD, clause] } })).toBe(false);
  });

  it('is complete with zero and with false as values', () => {
    const clauses = [0, false].map((value) => ({ field: 'metadata.x', op: 'eq', value }));
    expect(isComplete({ simple: { join: 'all', clauses } })).toBe(true);
  });
});
