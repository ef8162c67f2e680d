import { QueryClient } from '@tanstack/react-query';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkspaceRecord } from '@/api';
import {
  incidentsCountsOptions,
  incidentsCountsQueryKey,
  infoReadOptions,
  meReadOptions,
  meReadPreferencesOptions,
} from '@/api/@tanstack/react-query.gen';
import { client } from '@/api/client.gen';
import { myWorkspaces, readStart } from '@/lib/requests/start';
import { homeOf, knowsWorkspace } from '@/lib/session/workspace';

const [FIRST, SECOND] = ['wsp_1', 'wsp_2'] as unknown as WorkspaceRecord['id'][];
const COUNTS = { unresolved: 2, byWorkspace: [{ workspaceId: FIRST, unresolved: 2 }] };
const START = {
  info: { name: 'Inbox' },
  me: { id: 'usr_1' },
  preferences: { rev: 3 },
  workspaces: [{ id: FIRST, slug: 'first' }],
  counts: COUNTS,
  progress: {},
};
const countsOf = (workspaceId?: WorkspaceRecord['id']) => ({ query: { workspaceId } });

/** A cache whose requests get these answers by their paths; 401 where there is none. */
function prepared(answers: Record<string, unknown>): { cache: QueryClient; paths: string[] } {
  const paths: string[] = [];
  const fetch = (request: Request) => {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    const found = answers[pathname];
    const problem = { status: 401, code: 'unauthenticated' };
    return Promise.resolve(Response.json(found ?? problem, { status: found ? 200 : 401 }));
  };
  client.setConfig({ baseUrl: 'http://inbox', fetch: fetch as typeof globalThis.fetch });
  const defaultOptions = { queries: { retry: false, staleTime: 60_000 } } as const;
  return { cache: new QueryClient({ defaultOptions }), paths };
}

describe('the start of the dashboard', () => {
  it('reads all that the screens of one workspace ask for with one request', async () => {
    const { cache, paths } = prepared({ '/v1/start': START });

    readStart(cache);

    expect(await cache.fetchQuery(meReadOptions())).toEqual(START.me);
    expect(await cache.fetchQuery(meReadPreferencesOptions())).toEqual(START.preferences);
    expect((await cache.fetchQuery(myWorkspaces())).items).toEqual(START.workspaces);
    expect(await cache.fetchQuery(infoReadOptions())).toEqual(START.info);
    expect(await cache.fetchQuery(incidentsCountsOptions())).toEqual(COUNTS);
    expect(await cache.fetchQuery(incidentsCountsOptions(countsOf(FIRST)))).toEqual(COUNTS);
    expect(paths).toEqual(['/v1/start']);
  });

  it('leaves the counts of each workspace to its screens where there are several', async () => {
    const byWorkspace = [...COUNTS.byWorkspace, { workspaceId: SECOND, unresolved: 0 }];
    const { cache } = prepared({ '/v1/start': { ...START, counts: { ...COUNTS, byWorkspace } } });

    readStart(cache);
    await cache.fetchQuery(meReadOptions());

    expect(cache.getQueryData(incidentsCountsQueryKey())).toBeDefined();
    expect(cache.getQueryData(incidentsCountsQueryKey(countsOf(FIRST)))).toBeUndefined();
  });

  it('reads nothing while the parts are fresh', async () => {
    const { cache, paths } = prepared({ '/v1/start': START });
    readStart(cache);
    await cache.fetchQuery(meReadOptions());

    readStart(cache);
    await cache.fetchQuery(meReadOptions());

    expect(paths).toEqual(['/v1/start']);
  });

  it('is refused to an anonymous visitor, and the instance is read separately', async () => {
    const { cache, paths } = prepared({ '/v1/info': START.info });

    readStart(cache);

    await expect(cache.fetchQuery(meReadOptions())).rejects.toMatchObject({ status: 401 });
    expect(await cache.fetchQuery(infoReadOptions())).toEqual(START.info);
    expect(paths).toEqual(['/v1/start', '/v1/info']);
  });
});

describe('the workspace that a person starts in', () => {
  const workspaces = [
    { id: FIRST, slug: 'first' },
    { id: SECOND, slug: 'second' },
  ] as WorkspaceRecord[];
  let slug: string | null = null;

  beforeEach(() => vi.stubGlobal('localStorage', { getItem: () => slug }));

  it.each([
    ['first', SECOND, '/w/first/inbox'],
    [null, SECOND, '/w/second/inbox'],
    ['a deleted one', SECOND, '/w/second/inbox'],
    [null, 'wsp_deleted', '/w/first/inbox'],
    [null, null, '/w/first/inbox'],
  ])('with %s in this browser and %s in the preferences is %s', (here, saved, home) => {
    slug = here;
    expect(homeOf(workspaces, saved)).toBe(home);
    expect(knowsWorkspace(workspaces)).toBe(here === 'first');
  });

  it('is created by a person without one', () => {
    expect(homeOf([], SECOND)).toBe('/welcome');
  });
});
