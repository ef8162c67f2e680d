import { expect, test } from 'vitest';
import { beginning } from '@/screens/incidents/beginning';

const firstSeenAt = '2026-03-10T10:00:00Z';

test.each([
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z'],
  ['2026-03-10T09:58:00Z', null],
  ['2026-03-10T10:03:00Z', null],
  [null, null],
])('a beginning at %s is shown as %s', (beganAt, expected) => {
  expect(beginning({ beganAt, firstSeenAt })).toBe(expected);
});
