import { describe, expect, it } from 'vitest';
import { pointed } from '@/parts/match/pointer';

const carets = (fault: string, text: string) => {
  const found = pointed(fault, text);
  return found && `${found.part}\n${' '.repeat(found.at)}${'^'.repeat(found.length)}`;
};

describe('the place of a fault in a match', () => {
  it('is under the word that is wrong', () => {
    const text = 'source = "Payments" and severty >= ERROR';
    expect(carets('At character 25: unknown field `severty`.', text)).toBe(
      'source = "Payments" and severty >= ERROR\n                        ^^^^^^^',
    );
    expect(pointed('At character 25: unknown field `severty`.', text)?.detail).toBe('Unknown field `severty`.');
  });

  it('is in the line of the fault, behind the end of a text that is not complete', () => {
    expect(carets('at character 17: expected a value', 'severity >= INFO\ntitle =')).toBe(
      'severity >= INFO\n                ^',
    );
    expect(carets('at character 24: expected a value', 'severity >= INFO\ntitle = ')).toBe('title = \n      ^');
    expect(carets('at character 9: expected text', 'title = ')).toBe('title = \n        ^');
  });

  it('is near the beginning of a cut of a long line', () => {
    const found = pointed('at character 101: wrong', `${'a '.repeat(50)}bad ${'b '.repeat(50)}`)!;
    expect(found.part.startsWith('…')).toBe(true);
    expect(found.part.slice(found.at, found.at + found.length)).toBe('bad');
  });

  it('is nowhere for a fault without a character', () => {
    expect(pointed('must have at most 16,384 characters', 'x')).toBeNull();
  });
});
