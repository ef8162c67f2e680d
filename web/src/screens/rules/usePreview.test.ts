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

  it('is not cancelled after an immediate answer', async () => {
    const left = new AbortController();
    created(result);
    expect(await previewOf(BODY, left.signal)).toBe(result);
    left.abort();
    expect(removed()).toEqual([]);
  });

  it('is not cancelled after an answer in the background', async () => {
    const left = new AbortController();
    const answer = previewOf(BODY, left.signal);
    await vi.advanceTimersByTimeAsync(1000);
    vi.mocked(previewsRead).mockResolvedValue({ data: { id: 'prv_1', status: 'done', result } } as never);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await answer).toBe(result);
    left.abort();
    expect(removed()).toEqual([]);
  });

  it('is cancelled at once when nobody waits for it', async () => {
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

  it('is cancelled when the page was left before the answer', async () => {
    const left = new AbortController();
    const answer = previewOf(BODY, left.signal).catch(() => 'left');
    left.abort();
    expect(await answer).toBe('left');
    expect(removed()).toEqual(CANCELLED);
    expect(vi.mocked(previewsCreate).mock.calls).toEqual([[{ body: BODY, throwOnError: true }]]);
  });
});
