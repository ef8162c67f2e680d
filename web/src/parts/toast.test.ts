import { notifications } from '@mantine/notifications';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sayWithUndo } from '@/parts/toast';

vi.mock('@mantine/notifications', () => ({ notifications: { show: vi.fn(), hide: vi.fn() } }));
vi.mock('@mantine/core', () => ({ Button: 'button', Group: 'div', Text: 'p' }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the offer to undo disappears in time, even under the pointer', () => {
  sayWithUndo('Incident resolved', () => undefined);
  const [{ id, autoClose }] = vi.mocked(notifications.show).mock.lastCall as unknown as [
    { id: string; autoClose: unknown },
  ];
  vi.advanceTimersByTime(7900);
  expect(notifications.hide).not.toHaveBeenCalled();

  vi.advanceTimersByTime(200);

  expect(autoClose).toBe(false);
  expect(notifications.hide).toHaveBeenCalledExactlyOnceWith(id);
});
