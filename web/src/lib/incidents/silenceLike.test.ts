import { expect, it } from 'vitest';
import type { IncidentRecord } from '@/api';
import { silenceLike, silenceScopes } from '@/lib/incidents/silenceLike';

const SOURCE = 'src_a' as IncidentRecord['sourceId'];
const LIKE = { resource: '', dedupKey: null, title: 'Disk "C" full', sourceId: SOURCE, number: 7 };

function matchOf(address: string): string | null {
  return new URLSearchParams(address.split('?')[1]).get('match');
}

it('a silence covers the alert alone: its dedup key, else its title', () => {
  expect(matchOf(silenceLike({ ...LIKE, resource: 'host:a', dedupKey: 'k' }))).toBe('dedupKey = "k"');
  expect(matchOf(silenceLike({ ...LIKE, resource: 'host:a' }))).toBe('title = "Disk \\"C\\" full"');
});

it('a silence offers the alert first and its resource, if it has one', () => {
  const scopes = silenceScopes({ ...LIKE, resource: 'host:a', dedupKey: 'k' });
  expect(scopes.map(({ label, match }) => [label, match])).toEqual([
    ['This alert', 'dedupKey = "k"'],
    ['This resource', 'resource = "host:a"'],
  ]);
  expect(silenceScopes(LIKE).map((each) => each.name)).toEqual(['alert']);
});

it('a silence names the source and the incident', () => {
  const params = new URLSearchParams(silenceLike(LIKE).split('?')[1]);
  expect([params.get('sources'), params.get('comment')]).toEqual(['src_a', 'Like incident #7']);
});

it('a silence of several incidents covers each once, with all their sources', () => {
  const other = { ...LIKE, dedupKey: 'k', sourceId: 'src_b' as IncidentRecord['sourceId'], number: 8 };
  const address = silenceLike(LIKE, other, { ...other, number: 9 });
  const params = new URLSearchParams(address.split('?')[1]);

  expect(matchOf(address)).toBe('title = "Disk \\"C\\" full" or dedupKey = "k"');
  expect([params.get('sources'), params.get('comment')]).toEqual(['src_a,src_b', 'Like incidents #7, #8, #9']);
});
