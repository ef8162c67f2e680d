import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { previewsCreate, previewsRead, previewsRemove, type PreviewRequest } from '@/api';
import { previewOf } from '@/screens/rules/usePreview';

vi.mock('@/api', () => ({ previewsCreate: vi.fn(), previewsRead: vi.fn(), previewsRemove: vi.fn() }));
vi.mock('@/lib/session/workspace', () => ({ useWorkspace: vi.fn() }));

const BODY = {} as PreviewRequest;
const CANCELLED = [[{ path: { preview_id: 'prv_1' } }]];
const result = { matched: 3 };

const created = (data: object) => vi.mocked(previewsCreate).mockResolvedValue({ data } as never);
const removed = () => vi.mocked(previewsRemove).mock.calls;

describe('a preview of a rule', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.mocked(previewsRemove).mockRejectedValue(new Error('no connection'));
    vi.mocked(previewsRead).mockResolvedValue({ data: { id: 'prv_1', status: 'running' } } as never);
    created({ id: 'prv_1', status: 'pending' });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.clearAllMocks();
  });

  it('that is answered at once is not cancelled afterwards', async () => {
    const left = new AbortController();
    created(result);
    expect(await previewOf(BODY, left.signal)).toBe(result);
    left.abort();
    expect(removed()).toEqual([]);
  });

  it('that is answered in the background is not cancelled afterwards', async () => {
    const left = new AbortController();
    const answer = previewOf(BODY, left.signal);
    await vi.advanceTimersByTimeAsync(1000);
    vi.mocked(previewsRead).mockResolvedValue({ data: { id: 'prv_1', status: 'done', result } } as never);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await answer).toBe(result);
    left.abort();
    expect(removed()).toEqual([]);
  });

  it('that nobody waits for any more is cancelled at once', async () => {
    const left = new AbortController();
    const answer = previewOf(BODY, left.signal).catch(() => 'left');
    await vi.advanceTimersByTimeAsync(100);
    vi.mocked(previewsRead).mockRejectedValue(new Error('aborted'));
    left.abort();
    expect(removed()).toEqual(CANCELLED);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await answer).toBe('left');
    expect(removed()).toEqual(CANCELLED);
  });

  it('that was left before the service answered is cancelled, too', async () => {
    const left = new AbortController();
    const answer = previewOf(BODY, left.signal).catch(() => 'left');
    left.abort();
    expect(await answer).toBe('left');
    expect(removed()).toEqual(CANCELLED);
    expect(vi.mocked(previewsCreate).mock.calls).toEqual([[{ body: BODY, throwOnError: true }]]);
  });
});
