import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Layers } from '@/lib/keyboard/topmost';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the layer that was opened last is the topmost one, until the key that closed it was handled', () => {
  const [layers, below, above] = [new Layers(), {}, {}];
  layers.add(below);
  const close = layers.add(above);
  expect([layers.isTopmost(below), layers.isTopmost(above)]).toEqual([false, true]);

  close();
  expect(layers.isTopmost(below)).toBe(false);
  vi.runAllTimers();

  expect(layers.isTopmost(below)).toBe(true);
});
