import { describe, expect, it } from 'vitest';
import { isOver } from '@/lib/time/quietHours';

const END = '2026-11-23T06:00:00.000Z';
const NEXT = '2026-11-23T21:00:00.000Z';

describe('the change of quiet hours', () => {
  it('is their end while they are active', () => {
    const quiet = { now: true, until: END, nextAt: NEXT, text: '' };
    expect(isOver(quiet, Date.parse(END) - 1)).toBe(false);
    expect(isOver(quiet, Date.parse(END))).toBe(true);
  });

  it('is their next start while they are inactive', () => {
    const quiet = { now: false, until: null, nextAt: NEXT, text: '' };
    expect(isOver(quiet, Date.parse(END))).toBe(false);
    expect(isOver(quiet, Date.parse(NEXT))).toBe(true);
  });

  it('never comes without quiet hours', () => {
    expect(isOver({ now: false, until: null, nextAt: null, text: '' }, Date.parse(NEXT))).toBe(false);
  });
});
