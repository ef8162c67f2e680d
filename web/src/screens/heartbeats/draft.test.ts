import { describe, expect, it } from 'vitest';
import type { MonitorRecord } from '@/api';
import { bodyOf, draftOf, missing, mostOf, newDraft, scheduleOf, secondsOf, spanOf } from '@/screens/heartbeats/draft';

const start = { ...newDraft('Europe/Berlin', 'src_1'), name: 'Backup' };

describe('the form of a monitor', () => {
  it.each([
    [60, 1, 'minutes'],
    [90, 90, 'seconds'],
    [7200, 2, 'hours'],
    [86_400, 1, 'days'],
    [90_000, 25, 'hours'],
  ])('shows %i seconds as %i %s', (seconds, count, unit) => {
    expect(spanOf(seconds)).toEqual({ count, unit });
    expect(secondsOf(spanOf(seconds))).toBe(seconds);
  });

  it.each([4000, 366 * 86_400, 366 * 86_400 - 1, 1_000_020])('takes a stored length of %i seconds', (seconds) => {
    const { count, unit } = spanOf(seconds);
    expect(count).toBeLessThanOrEqual(mostOf(unit));
  });

  it('takes no length above a year and a day', () => {
    expect([mostOf('days'), mostOf('seconds')]).toEqual([366, 366 * 86_400]);
  });

  it('sends the schedule of the chosen kind alone', () => {
    expect(scheduleOf(start)).toEqual({ kind: 'cron', expression: '0 3 * * *', timezone: 'Europe/Berlin' });
    expect(scheduleOf({ ...start, kind: 'simple' })).toEqual({ kind: 'simple', periodSeconds: 3600 });
  });

  it.each([[['POST']], [['GET', 'POST']]])('sends a stored monitor that counts %s unchanged', (methods) => {
    const stored = {
      name: 'Backup',
      slug: 'nightly-backup',
      sourceId: 'src_1',
      schedule: { kind: 'cron', expression: '5 4 * * *', timezone: 'Asia/Tokyo' },
      graceSeconds: 90,
      maxRuntimeSeconds: 5400,
      alertIfNeverSeenAfterSeconds: null,
      methods,
      failuresBeforeIncident: 3,
      severity: 'WARNING',
      tags: ['db'],
    };
    const { sourceId: _, ...settable } = stored;
    expect(bodyOf(draftOf(stored as MonitorRecord, 'UTC'))).toEqual(settable);
  });

  it('sends an empty slug as none', () => {
    expect(bodyOf({ ...start, slug: ' ' }).slug).toBeNull();
  });

  it('names one missing field at a time', () => {
    expect(missing({ ...start, name: ' ' })).toBe('Enter a name.');
    expect(missing({ ...start, sourceId: null })).toBe('Choose a source.');
    expect(missing({ ...start, expression: '' })).toBe('Enter a cron expression.');
    expect(missing({ ...start, grace: { count: '', unit: 'minutes' } })).toBe('The grace is at least one minute.');
    expect(missing({ ...start, failures: '' })).toBe('Enter the number of failures.');
    expect(missing(start)).toBe('');
  });
});
