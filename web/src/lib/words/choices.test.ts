import { expect, test } from 'vitest';
import { choiceWord } from '@/lib/words/choices';

test.each([
  ['CRITICAL', 'Critical'],
  ['netdata', 'Netdata'],
  ['uptime_kuma', 'Uptime kuma'],
  ['general', 'Words of states in the title'],
  ['us', 'US'],
  ['POST', 'POST'],
  ['application/json', 'application/json'],
  ['toString', 'toString'],
])('the choice %s reads %s', (choice, expected) => {
  expect(choiceWord(choice)).toBe(expected);
});
