import { expect, test } from 'vitest';
import type { PageTargetShape } from '@/api';
import { countOf, idsOf, targetsOf } from '@/lib/configuration/pageTargets';

const TARGETS = [{ scheduleId: 'sch_1' }, { userId: 'usr_1' }, { userId: 'usr_2' }] as PageTargetShape[];

test('schedules and members are one list of ids', () => {
  expect(idsOf(TARGETS)).toEqual(['sch_1', 'usr_1', 'usr_2']);
  expect(targetsOf(idsOf(TARGETS))).toEqual(TARGETS);
  expect(idsOf(undefined)).toEqual([]);
});

test('people and schedules are counted in words', () => {
  expect(countOf(TARGETS)).toBe('2 people and whoever is on call by 1 schedule');
  expect(countOf(TARGETS.slice(1, 2))).toBe('1 person');
  expect(countOf([])).toBe('');
});
