import { describe, expect, it } from 'vitest';
import { bulkActs } from '@/screens/inbox/bulkActs';

describe('acts on selected incidents', () => {
  it.each([
    [['open'], ['acknowledge', 'snooze', 'resolve', 'assign']],
    [['acknowledged'], ['snooze', 'resolve', 'assign']],
    [['snoozed'], ['acknowledge', 'unsnooze', 'snooze', 'resolve', 'assign']],
    [['silenced'], ['resolve', 'assign']],
    [['resolved'], ['reopen', 'assign']],
    [
      ['open', 'resolved'],
      ['acknowledge', 'snooze', 'resolve', 'reopen', 'assign'],
    ],
    [
      ['open', 'silenced'],
      ['acknowledge', 'snooze', 'resolve', 'assign'],
    ],
    [[], []],
  ] as const)('of the states %j are %j', (states, acts) => {
    expect(bulkActs(states)).toEqual(acts);
  });
});
