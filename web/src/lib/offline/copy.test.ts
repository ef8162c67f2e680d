import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import { copied, dropCopyOfOthers, merged } from '@/lib/offline/copy';
import { queries } from '@/lib/requests/queries';

vi.mock('@/lib/offline/store', () => ({ drop: vi.fn(), keep: vi.fn(), readKept: () => Promise.resolve(undefined) }));

const LIST = [{ _id: 'incidentsList' }];

function client(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { retry: false } } });
}

describe('the copy for an app without a connection', () => {
  it('keeps a list that could not be read again', async () => {
    const cache = client();
    cache.setQueryData(LIST, { pages: [{ items: ['first'] }], pageParams: [null] });
    await cache
      .fetchQuery({ queryKey: LIST, queryFn: () => Promise.reject(new Error('offline')) })
      .catch(() => undefined);

    const [persisted] = copied(cache).queries;

    expect(persisted?.state).toMatchObject({ status: 'success', error: null, data: { pages: [{ items: ['first'] }] } });
  });

  it('keeps the first page of the last list, and nothing that was never read', async () => {
    const cache = client();
    cache.setQueryData([{ _id: 'incidentsList', query: 'before' }], { pages: [1], pageParams: [0] }, { updatedAt: 1 });
    cache.setQueryData(LIST, { pages: [1, 2], pageParams: [0, 1] }, { updatedAt: 2 });
    const never = { queryKey: [{ _id: 'meRead' }], queryFn: () => Promise.reject(new Error('offline')) };
    await cache.fetchQuery(never).catch(() => undefined);

    expect(copied(cache).queries.map((each) => [each.queryKey, each.state.data])).toEqual([
      [LIST, { pages: [1], pageParams: [0] }],
    ]);
  });
});

describe('a copy that follows another one', () => {
  const HOME = [{ _id: 'workspacesList' }];
  const incident = (id: string) => [{ _id: 'incidentsRead', path: { incident_id: id } }];
  const names = (cache: QueryClient, earlier: QueryClient) =>
    merged(copied(cache), copied(earlier).queries).queries.map((each) => JSON.stringify(each.queryKey));

  it('keeps data that the cache has dropped, except of workspaces without access', () => {
    const [earlier, now] = [client(), client()];
    earlier.setQueryData(LIST, { pages: [1], pageParams: [0] }, { updatedAt: 1 });
    earlier.setQueryData(incident('inc_1'), { workspaceId: 'wsp_home' }, { updatedAt: 1 });
    earlier.setQueryData(incident('inc_2'), { workspaceId: 'wsp_left' }, { updatedAt: 1 });
    now.setQueryData(HOME, { items: [{ id: 'wsp_home' }] }, { updatedAt: 2 });
    now.setQueryData([{ _id: 'incidentsList', query: { limit: 1 } }], { items: [] }, { updatedAt: 2 });

    expect(names(now, earlier)).toEqual([HOME, LIST, incident('inc_1')].map((key) => JSON.stringify(key)));
  });

  it('has the newest list once and at most thirty incidents', () => {
    const [earlier, now] = [client(), client()];
    now.setQueryData(HOME, { items: [{ id: 'wsp_home' }] });
    earlier.setQueryData(LIST, { pages: [1], pageParams: [0] }, { updatedAt: 1 });
    now.setQueryData([{ _id: 'incidentsList', query: 'newer' }], { pages: [2], pageParams: [0] }, { updatedAt: 2 });
    for (let number = 0; number < 40; number += 1)
      (number % 2 ? now : earlier).setQueryData(
        incident(`inc_${number}`),
        { workspaceId: 'wsp_home' },
        { updatedAt: number },
      );

    const found = names(now, earlier);

    expect(found.filter((key) => key.includes('incidentsList'))).toEqual([expect.stringContaining('newer')]);
    expect(found.filter((key) => key.includes('incidentsRead'))).toHaveLength(30);
  });
});

describe('the events of a copy', () => {
  it('are those of its incidents, at most thirty', () => {
    const cache = client();
    cache.setQueryData([{ _id: 'workspacesList' }], { items: [{ id: 'wsp_home' }] });
    const incident = { _id: 'incidentsRead', path: { incident_id: 'inc_1' } };
    cache.setQueryData([incident], { workspaceId: 'wsp_home' });
    for (let number = 0; number < 40; number += 1) {
      const event = { _id: 'eventsRead', path: { event_id: `evt_${number}` } };
      cache.setQueryData([event], { incidentId: number === 39 ? 'inc_2' : 'inc_1' }, { updatedAt: number });
    }
    const nothing = copied(client()).queries;
    const ids = merged(copied(cache), nothing).queries.map((each) => JSON.stringify(each.queryKey));
    const events = ids.filter((each) => each.includes('eventsRead'));
    expect(events).toHaveLength(29);
    expect(events[0]).toContain('evt_38');
  });
});

describe('the data that a page has read', () => {
  it('stays for the same person and goes for another one, with and without a copy', async () => {
    await dropCopyOfOthers('usr_olga');
    queries.setQueryData(LIST, { pages: ['of Olga'] });
    await dropCopyOfOthers('usr_olga');
    expect(queries.getQueryData(LIST)).toEqual({ pages: ['of Olga'] });

    await dropCopyOfOthers('usr_ben');

    expect(queries.getQueryData(LIST)).toBeUndefined();
  });
});
