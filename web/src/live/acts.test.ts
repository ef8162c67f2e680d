import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { incidentsBulk, incidentsUndo, type IncidentRecord } from '@/api';
import { say, sayWithUndo } from '@/parts/toast';
import { perform, performMatching } from '@/live/acts';

vi.mock('@/api', () => ({ incidentsBulk: vi.fn(), incidentsUndo: vi.fn() }));
vi.mock('@/parts/toast', () => ({ say: vi.fn(), sayFault: vi.fn(), sayWithUndo: vi.fn() }));
vi.mock('@/live/online', () => ({ isOffline: () => false }));
vi.mock('@/lib/requests/refresh', () => ({ refresh: () => Promise.resolve() }));

const done = (id: string) => ({ id, status: 200 });
const refused = (id: string) => ({ id, status: 409, detail: 'Somebody changed the incident since.' });

/** What is said when two incidents are acknowledged and that is undone with these results. */
async function textsOf(...results: object[]): Promise<unknown[]> {
  vi.mocked(incidentsBulk).mockResolvedValue({
    data: { results: [done('inc_1'), done('inc_2')], undoId: 'und_1' },
  } as never);
  vi.mocked(incidentsUndo).mockResolvedValue({ data: { results } } as never);
  await perform([{ id: 'inc_1' }, { id: 'inc_2' }] as unknown as IncidentRecord[], { action: 'acknowledge' });
  const [, undo] = vi.mocked(sayWithUndo).mock.lastCall ?? [];
  undo?.();
  await vi.waitFor(() => expect(say).toHaveBeenCalled());
  return vi.mocked(say).mock.calls.flat();
}

describe('an undo', () => {
  beforeEach(() => void vi.clearAllMocks());
  afterEach(() => void vi.clearAllMocks());

  it('is reported when all incidents are restored', async () => {
    expect(await textsOf(done('inc_1'), done('inc_2'))).toEqual(['Undone']);
  });

  it('is not reported for incidents that the service refused', async () => {
    expect(await textsOf(refused('inc_1'), refused('inc_2'))).toEqual([
      '2 incidents unchanged: Somebody changed the incident since.',
    ]);
  });

  it('counts undone and refused incidents', async () => {
    expect(await textsOf(done('inc_1'), refused('inc_2'))).toEqual([
      '1 incident undone. 1 incident unchanged: Somebody changed the incident since.',
    ]);
  });
});

describe('an act', () => {
  beforeEach(() => void vi.clearAllMocks());

  const incidents = [{ id: 'inc_1' }, { id: 'inc_2' }] as unknown as IncidentRecord[];
  const answers = (...results: object[]) =>
    vi.mocked(incidentsBulk).mockResolvedValue({ data: { results, undoId: null } } as never);
  const both = () => [perform(incidents, { action: 'resolve' }), performMatching({}, 2, { action: 'resolve' })];

  it('reports success for at least one incident', async () => {
    answers(done('inc_1'), refused('inc_2'));
    expect(await Promise.all(both())).toEqual([true, true]);
  });

  it('reports that all incidents were refused', async () => {
    answers(refused('inc_1'), refused('inc_2'));
    expect(await Promise.all(both())).toEqual([false, false]);
  });

  it('reports that the request failed', async () => {
    vi.mocked(incidentsBulk).mockRejectedValue(new Error('no connection'));
    expect(await Promise.all(both())).toEqual([false, false]);
  });
});
