import { describe, expect, it } from 'vitest';
import type { MonitorRecord } from '@/api';
import { filtersOf, found, ofStatus } from '@/screens/heartbeats/filters';

const monitor = (name: string, status: MonitorRecord['status'], more: Partial<MonitorRecord> = {}) =>
  ({ name, status, sourceId: 'src_1', tags: [], scheduleText: 'Every hour', ...more }) as MonitorRecord;
const all = [
  monitor('Backup', 'up', { tags: ['db'] }),
  monitor('Export', 'down'),
  monitor('Archive', 'up', { sourceId: 'src_2' }),
  monitor('Index', 'late'),
];
const names = (monitors: readonly MonitorRecord[]) => monitors.map((each) => each.name);

describe('the filters of the list of monitors', () => {
  it('are read from the address, and an unknown status is left out', () => {
    expect(filtersOf(new URLSearchParams('q=db&status=down&source=src_2'))).toEqual({
      words: 'db',
      status: 'down',
      sourceId: 'src_2',
    });
    expect(filtersOf(new URLSearchParams('status=asleep')).status).toBeNull();
  });

  it('find names, tags and schedules that contain each word', () => {
    expect(names(found(all, { words: 'DB', status: null, sourceId: null }))).toEqual(['Backup']);
    expect(names(found(all, { words: 'hour exp', status: null, sourceId: null }))).toEqual(['Export']);
    expect(names(found(all, { words: '', status: null, sourceId: 'src_2' }))).toEqual(['Archive']);
  });

  it('list failing monitors first, the others by name', () => {
    expect(names(ofStatus(all, null))).toEqual(['Export', 'Index', 'Archive', 'Backup']);
    expect(names(ofStatus(all, 'up'))).toEqual(['Archive', 'Backup']);
  });
});
