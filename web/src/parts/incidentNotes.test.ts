import { expect, test } from 'vitest';
import type { IncidentRecord } from '@/api';
import { firingNote } from '@/parts/incidentNotes';

test.each([
  ['open', 3, 2, '2 of 3 firing'],
  ['snoozed', 12_000, 1_200, '1,200 of 12,000 firing'],
  ['open', 1, 1, undefined],
  ['resolved', 3, 0, undefined],
])('%s with %s alerts, of which %s fire: %s', (state, alertCount, firingCount, expected) => {
  expect(firingNote({ state, alertCount, firingCount } as IncidentRecord)).toBe(expected);
});
