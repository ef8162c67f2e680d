import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import { copied, dropCopyOfOthers } from '@/lib/copy';
import { queries } from '@/lib/queries';

vi.mock('@/lib/store', () => ({ drop: vi.fn(), keep: vi.fn(), readKept: () => Promise.resolve(undefined) }));

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

describe('what a page has read', () => {
  it('stays for the same person and goes for another one, with and without a copy', async () => {
    await dropCopyOfOthers('usr_olga');
    queries.setQueryData(LIST, { pages: ['of Olga'] });
    await dropCopyOfOthers('usr_olga');
    expect(queries.getQueryData(LIST)).toEqual({ pages: ['of Olga'] });

    await dropCopyOfOthers('usr_ben');

    expect(queries.getQueryData(LIST)).toBeUndefined();
  });
});
