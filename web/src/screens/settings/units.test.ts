import { expect, test } from 'vitest';
import { unitOf } from '@/screens/settings/units';

test.each([
  [0, 'minutes'],
  [1, 'minutes'],
  [59, 'minutes'],
  [60, 'hours'],
  [61, 'minutes'],
  [90, 'minutes'],
  [1439, 'minutes'],
  [1440, 'days'],
  [1500, 'hours'],
  [10_080, 'days'],
])('%i minutes are shown in %s', (minutes, unit) => {
  expect(unitOf(minutes)).toBe(unit);
});
