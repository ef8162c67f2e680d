import { expect, it } from 'vitest';
import type { KeyRecord } from '@/api';
import { bySource, FILTERS } from '@/screens/keys/filters';

const NOW = Date.now();
const DAY = 86_400_000;
const at = (days: number) => new Date(NOW + days * DAY).toISOString();

function key(name: string, change: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: `key_${name}`,
    sourceId: 'src_a',
    kind: 'source_key',
    tool: null,
    name,
    hint: 'abcd',
    createdAt: at(-10),
    createdBy: null,
    lastUsedAt: at(-1),
    lastUsedFrom: null,
    graceEndsAt: null,
    revokedAt: null,
    ...change,
  };
}

const KEYS = [
  key('used'),
  key('unused', { createdAt: at(-100), lastUsedAt: null }),
  key('old', { createdAt: at(-400) }),
  key('grace', { graceEndsAt: at(1) }),
  key('over', { graceEndsAt: at(-1) }),
  key('revoked', { revokedAt: at(-1) }),
];

it.each([
  ['live', ['used', 'unused', 'old', 'grace']],
  ['unused', ['unused']],
  ['old', ['old']],
  ['grace', ['grace']],
  ['ended', ['over', 'revoked']],
])('the filter %s has %j', (name, expected) => {
  const filter = FILTERS.find((each) => each.name === name)!;
  expect(KEYS.filter((each) => filter.has(each, NOW)).map((each) => each.name)).toEqual(expected);
});

it('keys are grouped by their source in the order of the list', () => {
  const other = key('other', { sourceId: 'src_b' });
  expect(bySource([KEYS[0]!, other, KEYS[1]!]).map(([source, keys]) => [source, keys.length])).toEqual([
    ['src_a', 2],
    ['src_b', 1],
  ]);
});
