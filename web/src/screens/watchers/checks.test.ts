import { describe, expect, it } from 'vitest';
import type { CheckRecord, WatcherRecord } from '@/api';
import { found, countByStatus, worstFirst } from '@/screens/watchers/checks';

const check = (name: string, status: CheckRecord['status']) => ({ name, status }) as CheckRecord;
const watcher = (name: string, status: WatcherRecord['status'], checks: CheckRecord[] = [], more = {}) =>
  ({ name, status, checks, hostname: `${name}.example.org`, watcherId: name, labels: {}, ...more }) as WatcherRecord;

describe('checks', () => {
  const checks = [check('a', 'ok'), check('b', 'warn'), check('c', 'fail'), check('d', 'ok')];

  it('are counted by status, the worst first', () => {
    expect(countByStatus(checks)).toEqual([
      ['fail', 1],
      ['warn', 1],
      ['ok', 2],
    ]);
    expect(countByStatus([])).toEqual([]);
  });

  it('keep their order below the worse ones', () => {
    expect(worstFirst(checks).map(({ name }) => name)).toEqual(['c', 'b', 'a', 'd']);
  });
});

describe('watchers', () => {
  const all = [
    watcher('quiet', 'up', [check('a', 'ok')]),
    watcher('late', 'late'),
    watcher('failing', 'up', [check('a', 'fail')]),
    watcher('warning', 'up', [check('a', 'warn')]),
    watcher('down', 'down'),
    watcher('aged', 'paused', [], { labels: { environment: 'production' } }),
  ];

  it('are listed with failing ones first', () => {
    expect(found(all, '').map(({ name }) => name)).toEqual(['down', 'failing', 'late', 'warning', 'aged', 'quiet']);
  });

  it('are found by name, host name and labels', () => {
    expect(found(all, 'Production environment').map(({ name }) => name)).toEqual(['aged']);
    expect(found(all, 'quiet.example').map(({ name }) => name)).toEqual(['quiet']);
    expect(found(all, 'nobody')).toEqual([]);
  });
});
