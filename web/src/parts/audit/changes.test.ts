import { describe, expect, it } from 'vitest';
import { changesOf, valueText } from '@/parts/audit/changes';

describe('changes of an audit entry', () => {
  it('are separated from the other details', () => {
    const change = { field: 'name', before: 'A', after: 'B' };
    expect(changesOf({ changes: [change], reason: 'x' })).toEqual({ changes: [change], rest: { reason: 'x' } });
  });

  it('are empty when the details have another shape', () => {
    expect(changesOf({ changes: 'all' })).toEqual({ changes: [], rest: { changes: 'all' } });
    expect(changesOf({ replayedAs: 'dlv_1' })).toEqual({ changes: [], rest: { replayedAs: 'dlv_1' } });
  });

  it.each([
    [undefined, 'not recorded'],
    [null, 'nothing'],
    ['', 'nothing'],
    [[], 'nothing'],
    [true, 'yes'],
    [false, 'no'],
    [0, '0'],
    ['Ops', 'Ops'],
  ])('%j is "%s"', (value, text) => {
    expect(valueText(value)).toBe(text);
  });
});
