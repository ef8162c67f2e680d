import { beforeEach, describe, expect, it, vi } from 'vitest';
import { meRead } from '@/api';
import { queries } from '@/lib/requests/queries';
import { leave } from '@/lib/session/auth';
import { settleSignIn } from '@/lib/session/settleSignIn';

vi.mock('@/api', () => ({ meRead: vi.fn() }));
vi.mock('@/api/@tanstack/react-query.gen', () => ({ meReadQueryKey: () => [{ _id: 'meRead' }] }));
vi.mock('@/lib/session/auth', () => ({ leave: vi.fn() }));

/** How the question is settled where Olga's page is signed in again as `answer` says. */
async function settled(answer: { data?: { id: string } }, elsewhere = false): Promise<unknown[]> {
  const settle = vi.fn<(proved: boolean) => void>();
  vi.mocked(meRead).mockResolvedValue(answer as never);
  await settleSignIn({ kind: 'signIn', factors: [], settle }, { elsewhere });
  return settle.mock.calls.flat();
}

describe('a sign-in over the page', () => {
  beforeEach(() => {
    vi.clearAllMocks();
    queries.setQueryData([{ _id: 'meRead' }], { id: 'usr_olga' });
  });

  it('sends the waiting requests again for the same person', async () => {
    expect(await settled({ data: { id: 'usr_olga' } })).toEqual([true]);
    expect(leave).not.toHaveBeenCalled();
  });

  it('starts the page again for another person, and sends nothing of the first one', async () => {
    expect(await settled({ data: { id: 'usr_ben' } })).toEqual([]);
    expect(leave).toHaveBeenCalledExactlyOnceWith('/');
  });

  it('keeps the dialog open after a sign-in elsewhere until the service names the person', async () => {
    expect(await settled({}, true)).toEqual([]);
    expect(await settled({ data: { id: 'usr_olga' } }, true)).toEqual([true]);
  });

  it('sends nothing when the service does not name the person', async () => {
    expect(await settled({})).toEqual([false]);
    expect(leave).not.toHaveBeenCalled();
  });
});
