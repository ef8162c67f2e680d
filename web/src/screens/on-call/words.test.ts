import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LayerShape, ProblemRecord } from '@/api';
import { showTimesOf } from '@/lib/time/time';
import { peopleText, problemSummary, problemTexts } from '@/screens/on-call/words';

vi.mock('@/lib/preferences/preferences', () => ({ preferences: () => ({ times: 'workspace', hourCycle: 'h23' }) }));

const none = { startsAt: null, endsAt: null, layerId: null, userId: null };
const gap = (hour: number): ProblemRecord => ({
  ...none,
  kind: 'gap',
  startsAt: `2026-11-30T${hour}:00:00Z`,
  endsAt: `2026-11-30T${hour + 1}:00:00Z`,
});

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-30T08:00:00Z') });
  showTimesOf('UTC');
});
afterEach(() => {
  vi.useRealTimers();
  showTimesOf(undefined);
});

const nameOf = () => 'Mia';

describe('problems in words', () => {
  test('the first three gaps have their times, and the others are counted', () => {
    expect(problemTexts([10, 12, 14, 16].map(gap), [], nameOf)).toEqual([
      'Nobody is on call from 10:00 to 11:00.',
      'Nobody is on call from 12:00 to 13:00.',
      'Nobody is on call from 14:00 to 15:00.',
      'There is 1 more gap within 30 days.',
    ]);
  });

  test('a layer that is never active has its name', () => {
    const layer = { id: 'lay_1', name: 'Nights' } as unknown as LayerShape;
    const problem: ProblemRecord = { ...none, kind: 'layer_never_active', layerId: 'lay_1' };
    expect(problemTexts([problem], [layer], nameOf)).toEqual(['The layer Nights has nobody within a year.']);
  });

  test('a person whom no page reaches has their name', () => {
    const problem: ProblemRecord = { ...none, kind: 'unreachable_member', userId: 'usr_1' };
    expect(problemTexts([problem], [], nameOf)).toEqual(['Mia takes turns, and no page reaches them.']);
  });

  test('people whom no page reaches are one sentence', () => {
    const people = ['usr_1', 'usr_2'].map((userId): ProblemRecord => ({ ...none, kind: 'unreachable_member', userId }));
    expect(problemTexts(people, [], (id) => id)).toEqual(['usr_1 and usr_2 take turns, and no page reaches them.']);
  });

  test('two problems with the same words are one sentence', () => {
    const problem: ProblemRecord = { ...none, kind: 'absent_member', userId: 'usr_1' };
    expect(problemTexts([problem, { ...problem, userId: 'usr_2' }], [], nameOf)).toHaveLength(1);
  });

  test.each([
    ['calendar_unreadable', 'The calendar cannot be read. Its last good copy counts.'],
    ['calendar_unmatched', 'Events of the calendar name somebody who is no member.'],
    ['slack_failing', 'Slack does not show who is on call.'],
  ] as const)('%s is "%s"', (kind, text) => {
    expect(problemTexts([{ ...none, kind }], [], nameOf)).toEqual([text]);
  });

  test('three gaps are not counted', () => {
    expect(problemTexts([10, 12, 14].map(gap), [], nameOf)).toHaveLength(3);
  });
});

test.each([
  [[], 'Nobody'],
  [['mia'], 'Mia'],
  [['mia', 'adam'], 'Mia and Adam (you)'],
])('the people %j are "%s" for Adam', (ids, text) => {
  const names: Record<string, string> = { mia: 'Mia', adam: 'Adam' };
  expect(
    peopleText(
      ids.map((userId) => ({ userId, name: names[userId]! })),
      'adam',
    ),
  ).toBe(text);
});

test.each([
  [1, '1 gap'],
  [19, '19 gaps'],
  [20, '20 or more gaps'],
])('%i gaps are "%s"', (count, text) => {
  expect(problemSummary(Array.from({ length: count }, () => gap(10)))).toBe(text);
});

test('problems without a gap are counted', () => {
  expect(problemSummary([{ ...none, kind: 'single_member' }])).toBe('1 problem');
});
