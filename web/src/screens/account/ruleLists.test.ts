import { expect, test } from 'vitest';
import type { ContactMethodRecord, NotificationRulesRecord } from '@/api';
import { formOf, freeMethods, methodsOf, MOST_MINUTES, usable, withRule } from '@/screens/account/ruleLists';

const CONTACTS = [
  { id: 'cme_1', kind: 'email', address: 'mia@example.net', confirmedAt: '2026-11-30T21:00:00Z' },
  { id: 'cme_2', kind: 'email', address: 'old@example.net', confirmedAt: null },
] as unknown as ContactMethodRecord[];
const METHODS = methodsOf('mia@example.org', CONTACTS);

test('only confirmed addresses are methods of rules', () => {
  expect(METHODS.map((each) => each.value)).toEqual(['push', 'email', 'cme_1']);
});

test('a list names each method once', () => {
  const rules = [{ afterMinutes: 0, method: 'push' }];

  expect(freeMethods(METHODS, rules).map((each) => each.value)).toEqual(['email', 'cme_1']);
  expect(withRule(METHODS, rules)).toEqual([...rules, { afterMinutes: 5, method: 'email' }]);
  expect(withRule(METHODS, [])).toEqual([{ afterMinutes: 0, method: 'push' }]);
  expect(withRule(METHODS.slice(0, 1), rules)).toEqual(rules);
});

test('a rule is at most a day later', () => {
  const late = [{ afterMinutes: MOST_MINUTES, method: 'push' }];

  expect(withRule(METHODS, late).at(-1)?.afterMinutes).toBe(MOST_MINUTES);
});

test('the form has both lists', () => {
  const stored = {
    default: [{ afterMinutes: 0, method: 'push' }],
    critical: [],
    rev: 3,
  } as unknown as NotificationRulesRecord;

  expect(formOf(stored)).toEqual({ default: [{ afterMinutes: 0, method: 'push' }], critical: [] });
});

test('offered rules of an address that is not confirmed cannot be used', () => {
  const offered = {
    default: [
      { afterMinutes: 0, method: 'push' },
      { afterMinutes: 5, method: 'cme_2' },
    ],
    critical: [{ afterMinutes: 1, method: 'cme_1' }],
  };

  expect(usable(METHODS, offered)).toEqual({ default: offered.default.slice(0, 1), critical: offered.critical });
});
