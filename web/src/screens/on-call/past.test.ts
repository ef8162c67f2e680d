import { expect, test } from 'vitest';
import type { OnCallLogRecord, ShiftRecord } from '@/api';
import { type ShownShift, withPast } from '@/screens/on-call/past';

const MIDNIGHT = Date.parse('2026-11-30T00:00:00Z');
const at = (hour: number) => MIDNIGHT + hour * 3_600_000;
const iso = (hour: number) => new Date(at(hour)).toISOString();

function shift(from: number, to: number, ...names: string[]): ShiftRecord {
  const people = names.map((name) => ({ userId: name, name, origin: { kind: 'layer', id: 'lay_1' } }));
  return { startsAt: iso(from), endsAt: iso(to), people } as unknown as ShiftRecord;
}

function entry(name: string, from: number, to: number | null): OnCallLogRecord {
  return {
    userId: name,
    name,
    startsAt: iso(from),
    endsAt: to === null ? null : iso(to),
  } as unknown as OnCallLogRecord;
}

/** "8-16 Adam+Eve?", where nothing computed explains Eve. */
function told(shifts: readonly ShownShift[]): string[] {
  const hour = (text: string) => (Date.parse(text) - MIDNIGHT) / 3_600_000;
  const people = (each: ShownShift) => each.people.map(({ name, origin }) => (origin ? name : `${name}?`)).join('+');
  return shifts.map((each) => `${hour(each.startsAt)}-${hour(each.endsAt)} ${people(each)}`);
}

const COMPUTED = [shift(0, 8, 'Mia'), shift(8, 16, 'Adam'), shift(16, 24, 'Mia')];

test('the past is what the log has, and the present shift is one', () => {
  const log = [entry('Mia', 0, 8.5), entry('Adam', 8.5, null)];
  const shown = withPast(COMPUTED, log, { from: at(0), until: at(10) });

  expect(told(shown)).toEqual(['0-8.5 Mia', '8.5-16 Adam', '16-24 Mia']);
});

test('a person whom nothing explains was on call by the log alone, and holes are gaps', () => {
  const log = [entry('Eve', 2, 4), entry('Mia', 3, 8), entry('Adam', 8, null)];
  const shown = withPast(COMPUTED, log, { from: at(0), until: at(10) });

  expect(told(shown)).toEqual(['0-2 ', '2-3 Eve?', '3-4 Eve?+Mia', '4-8 Mia', '8-16 Adam', '16-24 Mia']);
});

test('shifts are computed before the log begins and after it was read', () => {
  const log = [entry('Mia', 0, 8.5), entry('Adam', 8.5, null)];
  const shown = withPast(COMPUTED, log, { from: at(4), until: at(17) });

  expect(told(shown)).toEqual(['0-8.5 Mia', '8.5-17 Adam', '17-24 Mia']);
});

test('a period of the future has no log', () => {
  expect(withPast(COMPUTED, [], { from: at(-5), until: at(-1) })).toEqual(COMPUTED);
  expect(withPast([], [], { from: at(0), until: at(1) })).toEqual([]);
});
