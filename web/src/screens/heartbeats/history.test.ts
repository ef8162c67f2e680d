import { describe, expect, it } from 'vitest';
import type { FlipRecord } from '@/api';
import { causeText, withDurations } from '@/screens/heartbeats/history';

const flip = (at: string, from: FlipRecord['from'], to: FlipRecord['to']): FlipRecord => ({
  at,
  from,
  to,
  cause: to === 'up' ? 'recovered' : 'missed',
});
const newestFirst = [
  flip('06', 'late', 'up'),
  flip('05', 'up', 'late'),
  flip('04', 'down', 'up'),
  flip('03', 'late', 'down'),
  flip('02', 'up', 'late'),
  flip('01', 'new', 'up'),
];
const shown = (withLate: boolean) =>
  withDurations(newestFirst, withLate).map(({ at, from, to, until }) => [at, from, to, until]);

describe('the history of a monitor', () => {
  it('lists each change with the time of the next one', () => {
    expect(shown(true)).toHaveLength(6);
    expect(shown(true)[1]).toEqual(['05', 'up', 'late', '06']);
  });

  it('leaves out delays within the grace', () => {
    expect(shown(false)).toEqual([
      ['04', 'down', 'up', null],
      ['03', 'up', 'down', '04'],
      ['01', 'new', 'up', '03'],
    ]);
  });

  it('does not call a late ping a missed one', () => {
    expect(causeText(flip('01', 'up', 'late'))).toBe('The expected time has passed');
    expect(causeText(flip('01', 'late', 'down'))).toBe('No ping arrived in time');
  });
});
