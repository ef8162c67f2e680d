import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dismissToast, holdToast, releaseToast, say, sayWithUndo, shownToast, undoLast } from '@/parts/toast';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  dismissToast();
  vi.useRealTimers();
});

test('the offer to undo disappears in time, even under the pointer', () => {
  const undo = vi.fn();
  sayWithUndo('Incident resolved', undo);
  holdToast();
  vi.advanceTimersByTime(7900);
  expect(shownToast()?.text).toBe('Incident resolved');

  vi.advanceTimersByTime(200);
  undoLast();

  expect(undo).not.toHaveBeenCalled();
  expect(shownToast()?.text).toBe('Nothing to undo.');
});

test('a message takes the place of the one before, and its time is not that of the one before', () => {
  say('Incident acknowledged');
  vi.advanceTimersByTime(3900);
  say('Undone');
  vi.advanceTimersByTime(3900);
  expect(shownToast()?.text).toBe('Undone');

  vi.advanceTimersByTime(200);

  expect(shownToast()).toBeNull();
});

test('a message stays while the pointer is on it', () => {
  say('Saved');
  holdToast();
  vi.advanceTimersByTime(60_000);
  expect(shownToast()?.text).toBe('Saved');

  releaseToast();
  vi.advanceTimersByTime(4100);

  expect(shownToast()).toBeNull();
});

test('undoing takes the message away and runs once', () => {
  const undo = vi.fn();
  sayWithUndo('Incident resolved', undo);

  undoLast();
  undoLast();

  expect(undo).toHaveBeenCalledOnce();
  expect(shownToast()?.text).toBe('Nothing to undo.');
});
