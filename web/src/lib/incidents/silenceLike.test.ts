import { expect, it } from 'vitest';
import type { IncidentRecord } from '@/api';
import { silenceLike } from '@/lib/incidents/silenceLike';

const SOURCE = 'src_a' as IncidentRecord['sourceId'];
const LIKE = { resource: '', dedupKey: null, title: 'Disk "C" full', sourceId: SOURCE, number: 7 };

function matchOf(address: string): string | null {
  return new URLSearchParams(address.split('?')[1]).get('match');
}

it('a silence covers the resource, else the dedup key, else the title', () => {
  expect(matchOf(silenceLike({ ...LIKE, resource: 'host:a', dedupKey: 'k' }))).toBe('resource = "host:a"');
  expect(matchOf(silenceLike({ ...LIKE, dedupKey: 'k' }))).toBe('dedupKey = "k"');
  expect(matchOf(silenceLike(LIKE))).toBe('title = "Disk \\"C\\" full"');
});

it('a silence names the source and the incident', () => {
  const params = new URLSearchParams(silenceLike(LIKE).split('?')[1]);
  expect([params.get('sources'), params.get('comment')]).toEqual(['src_a', 'Like incident #7']);
});

it('a silence of several incidents covers each once, with all their sources', () => {
  const other = { ...LIKE, resource: 'host:a', sourceId: 'src_b' as IncidentRecord['sourceId'], number: 8 };
  const address = silenceLike(LIKE, other, { ...other, number: 9 });
  const params = new URLSearchParams(address.split('?')[1]);

  expect(matchOf(address)).toBe('title = "Disk \\"C\\" full" or resource = "host:a"');
  expect([params.get('sources'), params.get('comment')]).toEqual(['src_a,src_b', 'Like incidents #7, #8, #9']);
});
