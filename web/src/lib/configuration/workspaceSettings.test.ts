import { describe, expect, it } from 'vitest';
import type { WorkspaceRecord } from '@/api';
import { changeOf, valuesOf, wordsOf } from '@/lib/configuration/workspaceSettings';

const WORKSPACE = { name: 'Home', timezone: 'UTC', settings: {} } as unknown as WorkspaceRecord;

describe('a change of settings', () => {
  it('has the members that differ, also within a nested setting', () => {
    const before = valuesOf(WORKSPACE);
    const now = valuesOf(WORKSPACE);
    now.name = ' Office ';
    now.settings.retention.eventDays = 30;
    now.settings.quietHours.holidays = ['2026-12-25'];

    expect(changeOf(before, now)).toEqual({
      name: 'Office',
      settings: { retention: { eventDays: 30 }, quietHours: { holidays: ['2026-12-25'] } },
    });
    expect(changeOf(before, before)).toEqual({});
  });

  it('has a label for each setting', () => {
    const leaves = (value: object): number =>
      Object.values(value).reduce<number>((sum, each: unknown) => {
        return sum + (typeof each === 'object' && each !== null && !Array.isArray(each) ? leaves(each) : 1);
      }, 0);
    expect(Object.keys(wordsOf(valuesOf(WORKSPACE)))).toHaveLength(leaves(valuesOf(WORKSPACE)));
  });
});
