import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { IncidentRecord } from '@/api';
import { neighbours } from '@/lib/incidents/neighbours';

const id = (name: string): IncidentRecord['id'] => `inc_${name}`;

function clientWith(...lists: string[][]): QueryClient {
  const client = new QueryClient();
  lists.forEach((names, at) => {
    const pages = [{ items: names.map((name) => ({ id: id(name) })) }];
    client.setQueryData([{ _id: 'incidentsList', at }], { pages }, { updatedAt: at + 1 });
  });
  return client;
}

it('neighbours of an incident come from the list that was read last', () => {
  const client = clientWith(['a', 'b', 'c'], ['x', 'b', 'y']);
  expect(neighbours(client, id('b'))).toEqual({ next: 'inc_y', previous: 'inc_x' });
  expect(neighbours(client, id('a'))).toEqual({ next: 'inc_b', previous: null });
});

it('an incident outside all lists has no neighbours', () => {
  expect(neighbours(clientWith(['a', 'b']), id('z'))).toEqual({ next: null, previous: null });
});
