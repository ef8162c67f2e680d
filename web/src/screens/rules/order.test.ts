import { describe, expect, it } from 'vitest';
import { moveOf, ordered, type Move } from '@/screens/rules/order';

const ids = (text: string) => text.split('').map((each) => `rul_${each}` as const);
const move = (order: string, from: number, to: number) => moveOf(ids(order), from, to)!;
const after = (order: string, ...moves: Move[]) =>
  ordered(ids(order), moves)
    .map((each) => each.slice(4))
    .join('');

describe('a move', () => {
  it('puts a rule at another place', () => {
    expect(after('abcd', move('abcd', 0, 2))).toBe('bcad');
    expect(after('abcd', move('abcd', 3, 0))).toBe('dabc');
    expect(after('abcd', move('abcd', 1, 2))).toBe('acbd');
  });

  it('has no effect past an end or onto its own place', () => {
    expect([moveOf(ids('ab'), 0, -1), moveOf(ids('ab'), 1, 2), moveOf(ids('ab'), 1, 1)]).toEqual([null, null, null]);
  });

  it('follows another move', () => {
    const first = move('abcd', 0, 1);
    expect(after('abcd', first, move('bacd', 1, 2))).toBe('bcad');
  });

  it('keeps what others changed in the order, and may be made twice', () => {
    const up = move('abcd', 3, 0);
    expect(after('cbna', up)).toBe('cbna');
    expect(after('cbnad', up)).toBe('cbnda');
    expect(after('cbnad', up, up)).toBe('cbnda');
  });

  it('has no effect past a deleted rule', () => {
    expect(after('bcd', move('abcd', 3, 0))).toBe('bcd');
  });
});
