import { notifications } from '@mantine/notifications';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { say, sayWithUndo } from '@/parts/toast';

vi.mock('@mantine/notifications', () => ({
  notifications: { show: vi.fn(() => 'shown'), hide: vi.fn(), clean: vi.fn() },
}));
vi.mock('@mantine/core', () => ({ Button: 'button', Group: 'div', Text: 'p' }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the offer to undo disappears in time, even under the pointer', () => {
  sayWithUndo('Incident resolved', () => undefined);
  const [{ autoClose }] = vi.mocked(notifications.show).mock.lastCall as unknown as [{ autoClose: unknown }];
  vi.advanceTimersByTime(7900);
  expect(notifications.hide).not.toHaveBeenCalled();

  vi.advanceTimersByTime(200);

  expect(autoClose).toBe(false);
  expect(notifications.hide).toHaveBeenCalledExactlyOnceWith('shown');
});

test('a message takes the place of the one before', () => {
  say('Incident acknowledged');
  const shownBefore = vi.mocked(notifications.show).mock.invocationCallOrder.at(-1)!;
  say('Undone');

  const cleared = vi.mocked(notifications.clean).mock.invocationCallOrder.at(-1)!;
  expect(cleared).toBeGreaterThan(shownBefore);
  expect(vi.mocked(notifications.show).mock.invocationCallOrder.at(-1)).toBeGreaterThan(cleared);
});
