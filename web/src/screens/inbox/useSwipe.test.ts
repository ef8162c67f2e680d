import { describe, expect, it, vi } from 'vitest';
import { listenToSwipes } from '@/screens/inbox/useSwipe';

/** A row of an incident, and what a touch of it at these places does. */
function row() {
  const element = Object.assign(new EventTarget(), { style: { transform: '' }, dataset: {} });
  const swipes = { right: vi.fn(), left: vi.fn() };
  listenToSwipes(element as unknown as HTMLElement, () => swipes);
  const touch = (type: string, ...places: number[]) =>
    element.dispatchEvent(
      Object.assign(new Event(type), { touches: places.map((clientX) => ({ clientX, clientY: 0 })) }),
    );
  return { element, swipes, touch };
}

describe('a swipe of a row', () => {
  it.each([
    ['right', 300],
    ['left', -300],
  ] as const)('to the %s acts when the finger leaves', (side, to) => {
    const { element, swipes, touch } = row();
    touch('touchstart', 0);
    touch('touchmove', to);
    expect(element.style.transform).toBe(`translateX(${to}px)`);
    expect(swipes[side]).not.toHaveBeenCalled();
    touch('touchend');
    expect(swipes[side]).toHaveBeenCalledTimes(1);
    expect(element.style.transform).toBe('');
  });

  it('does nothing when it is short', () => {
    const { swipes, touch } = row();
    touch('touchstart', 0);
    touch('touchmove', 50);
    touch('touchend');
    expect(swipes.right).not.toHaveBeenCalled();
  });

  it('does nothing when the browser cancels it', () => {
    const { element, swipes, touch } = row();
    touch('touchstart', 0);
    touch('touchmove', 300);
    touch('touchcancel');
    expect(element.style.transform).toBe('');
    touch('touchend');
    expect(swipes.right).not.toHaveBeenCalled();
  });

  it('does nothing when a second finger joins', () => {
    const { element, swipes, touch } = row();
    touch('touchstart', 0);
    touch('touchmove', -300);
    touch('touchstart', -300, 10);
    expect(element.style.transform).toBe('');
    touch('touchmove', -400, 10);
    touch('touchend', 10);
    touch('touchend');
    expect(swipes.left).not.toHaveBeenCalled();
  });
});
