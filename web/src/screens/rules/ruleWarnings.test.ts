import { expect, test } from 'vitest';
import { NEW_RULE, type RuleForm } from '@/screens/rules/draft';
import { type Surroundings, warningsOf } from '@/screens/rules/ruleWarnings';

const CONDITION = { simple: { join: 'all' as const, clauses: [{ field: 'title', op: 'eq', value: 'x' }] } };
const PAGER = { id: 'dst_pager', name: 'Pager', enabled: true, stopped: null } as const;
const FORM: RuleForm = { ...NEW_RULE, match: CONDITION, then: { ...NEW_RULE.then, destinationIds: [PAGER.id] } };
const EVERY = {
  id: 'rul_every' as const,
  name: 'Every',
  enabled: true,
  position: 2,
  continue: false,
  sourceIds: [],
  activeDuring: null,
  match: { all: [] },
};

function found(form: Partial<RuleForm>, around: Partial<Surroundings> = {}): string[] {
  const route = { destinationIds: [PAGER.id], routingProfileId: null };
  const plain = { position: null, rules: [], destinations: [PAGER], defaultRoute: route };
  return warningsOf({ ...FORM, ...form }, { ...plain, ...around });
}

test('a rule with a condition and a working destination has no warning', () => {
  expect(found({})).toEqual([]);
});

test('a rule that matches every event keeps later rules and the default route from deciding', () => {
  const every = { match: NEW_RULE.match };
  expect(found(every)).toEqual(['It matches every event, so the default route never applies.']);
  expect(found(every, { position: 1, rules: [EVERY] })).toEqual([
    'It matches every event, so neither later rules nor the default route apply.',
  ]);
  expect(found({ ...every, continue: true })).toEqual([]);
  expect(found({ ...every, sourceIds: ['src_a'] })).toEqual([]);
});

test('a rule behind one that matches every event is never evaluated', () => {
  const text = 'The earlier rule “Every” matches every event, so this rule is never evaluated.';
  expect(found({}, { rules: [EVERY] })).toEqual([text]);
  expect(found({}, { rules: [EVERY], position: 3 })).toEqual([text]);
  expect(found({}, { rules: [EVERY], position: 1 })).toEqual([]);
});

test.each([
  { enabled: false },
  { continue: true },
  { sourceIds: ['src_a' as const] },
  { match: { field: 'title', op: 'eq', value: 'x' } },
])('a rule with %j leaves events to later ones', (change) => {
  expect(found({}, { rules: [{ ...EVERY, ...change }] })).toEqual([]);
});

test('a destination that gets nothing is named', () => {
  const stopped = { at: '2026-01-01T00:00:00Z', reason: 'http_410' };
  expect(found({}, { destinations: [{ ...PAGER, enabled: false }] })).toEqual([
    'Pager is disabled and gets no notifications.',
  ]);
  expect(found({}, { destinations: [{ ...PAGER, stopped }] })).toEqual([
    'Pager is stopped. Its notifications wait until it resumes.',
  ]);
});

test('a rule without a destination has a warning only where the default route has none either', () => {
  const unset = { then: NEW_RULE.then };
  const empty = { defaultRoute: { destinationIds: [], routingProfileId: null } };
  expect(found(unset)).toEqual([]);
  expect(found(unset, empty)).toHaveLength(1);
  expect(found({ then: { ...NEW_RULE.then, disposition: 'drop' } }, empty)).toEqual([]);
});

test('a disabled rule has no warning', () => {
  expect(found({ enabled: false, match: NEW_RULE.match }, { rules: [EVERY] })).toEqual([]);
});
