import { describe, expect, it } from 'vitest';
import type { MonitorRecord } from '@/api';
import { barText, cellsOf, PERIODS, countByOutcome } from '@/screens/heartbeats/periods';

const PAST = '2020-01-01T00:00:00Z';
const ran = (...outcomes: MonitorRecord['bar'][number]['outcome'][]) =>
  outcomes.map((outcome) => ({ at: PAST, outcome }));
const monitor = (more: Partial<MonitorRecord>) =>
  ({ bar: [], status: 'up', startedAt: null, pausedAt: null, nextDueAt: null, ...more }) as MonitorRecord;

describe('the bar of a monitor', () => {
  it('ends with the run that is in progress, the pause, or the overdue ping', () => {
    expect(cellsOf(monitor({ status: 'running', startedAt: PAST })).at(-1)).toEqual({ kind: 'running', at: PAST });
    expect(cellsOf(monitor({ status: 'paused', pausedAt: PAST })).at(-1)).toEqual({ kind: 'paused', at: PAST });
    expect(cellsOf(monitor({ status: 'late', nextDueAt: PAST })).at(-1)).toEqual({ kind: 'overdue', at: PAST });
  });

  it('has nothing overdue when a failed run alone makes the monitor late', () => {
    const late = monitor({ bar: ran('failed'), status: 'late', nextDueAt: '2999-01-01T00:00:00Z' });
    expect(cellsOf(late).map((each) => each.kind)).toEqual(['failed']);
  });

  it('has room for the last periods only', () => {
    const full = monitor({ bar: ran(...Array<'on_time'>(PERIODS).fill('on_time')), status: 'paused', pausedAt: PAST });
    expect(cellsOf(full)).toHaveLength(PERIODS);
    expect(cellsOf(full).at(-1)?.kind).toBe('paused');
  });

  it('has a description in words', () => {
    const bar = ran('on_time', 'missed', 'late', 'on_time');
    expect(barText(monitor({ bar }))).toBe('4 runs: 2 on time, 1 late, 1 missed.');
    expect(barText(monitor({ bar, status: 'running', startedAt: PAST }))).toMatch(/ Now running\.$/);
    expect(barText(monitor({}))).toBe('No run yet.');
    expect(barText(monitor({ bar: ran('failed') }))).toBe('1 run: 1 failed.');
  });

  it('counts only the outcomes that occurred', () => {
    expect(countByOutcome(ran('failed', 'on_time', 'failed'))).toEqual([
      ['on_time', 1],
      ['failed', 2],
    ]);
  });
});
