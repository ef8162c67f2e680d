import { expect, it } from 'vitest';
import type { SimilarIncident } from '@/api';
import { grouped } from '@/screens/incidents/grouped';

const similar = (title: string, note: string | null = null) =>
  ({ incident: { title }, lastNote: note && { text: note } }) as unknown as SimilarIncident;

it('similar incidents are counted by title, the same alert first, with the last note', () => {
  const found = grouped(
    [similar('A query runs'), similar('Disk full'), similar('A query runs', 'Killed it'), similar('A query runs')],
    'Disk full',
  );
  expect(found.map(({ newest, count }) => [newest.incident.title, count, newest.lastNote?.text ?? null])).toEqual([
    ['Disk full', 1, null],
    ['A query runs', 3, 'Killed it'],
  ]);
});
