import { expect, test } from 'vitest';
import type { OverrideRecord } from '@/api';
import { momentOf } from '@/lib/time/localTime';
import { changedFields, formOf, isComplete } from '@/screens/on-call/overrideForm';

const OVERRIDE = {
  userIds: ['usr_1'],
  startsAt: '2026-03-02T09:00:12.000Z',
  endsAt: '2026-03-02T17:00:00.000Z',
  reason: 'Dentist',
} as unknown as OverrideRecord;

test('fields that were not changed are not sent', () => {
  const opened = formOf(OVERRIDE);

  expect(changedFields(opened, { ...opened })).toEqual({});
  expect(changedFields(opened, { ...opened, reason: ' Dentist ' })).toEqual({});
});

test('changed fields are sent as instants and ids', () => {
  const opened = formOf(OVERRIDE);
  const form = { ...opened, userIds: ['usr_2', 'usr_1'], endsAt: '2026-03-02T18:00', reason: '' };

  expect(changedFields(opened, form)).toEqual({
    userIds: ['usr_2', 'usr_1'],
    endsAt: momentOf('2026-03-02T18:00').toISOString(),
    reason: '',
  });
});

test('a form without an end is not complete', () => {
  const form = formOf(OVERRIDE);

  expect([form, { ...form, endsAt: '' }].map(isComplete)).toEqual([true, false]);
  expect(changedFields(form, { ...form, endsAt: '' })).toEqual({});
});
