import { describe, expect, it } from 'vitest';
import { firstItem, itemPaths, type Json, parsed, picks } from '@/screens/sources/mapping/sample';

const SAMPLE: Json = {
  site: 'berlin',
  alerts: [{ name: 'DiskFull', labels: { team: 'ops', 'a b': 1 }, tags: ['x', 'y'], none: null }, { name: 'Ping' }],
};

describe('a pasted sample', () => {
  it('is an object or an array', () => {
    expect(parsed('{"a": 1}')).toEqual({ a: 1 });
    expect(parsed('[1]')).toEqual([1]);
    expect([parsed('7'), parsed('null'), parsed('{'), parsed('')]).toEqual([null, null, null, null]);
  });

  it('offers its arrays as items', () => {
    expect(itemPaths(SAMPLE)).toEqual(['alerts[*]', 'alerts[*].tags[*]']);
    expect(itemPaths([{ a: [[1]] }])).toEqual(['[*]', '[*].a[*]']);
    expect(itemPaths({ a: 1 })).toEqual([]);
  });

  it('offers the paths of the first item and of the body around it', () => {
    const found = picks(SAMPLE, 'alerts[*]').map((each) => each.path);

    expect(found.slice(0, 5)).toEqual(['name', 'labels', 'labels.team', 'labels["a b"]', 'tags[*]']);
    expect(found).toContain('$.site');
    expect(found).toContain('$.alerts[*].name');
  });

  it('offers the paths of the body where it is the only item', () => {
    expect(picks({ a: { b: 1 } }, '')).toEqual([
      { path: 'a', value: '{…}' },
      { path: 'a.b', value: '1' },
    ]);
    expect(picks(['down'], '[*]')[0]).toEqual({ path: '@', value: 'down' });
  });

  it('has a first item only where the path leads to one', () => {
    expect(firstItem(SAMPLE, 'alerts[*].tags[*]')).toBe('x');
    expect(firstItem(SAMPLE, 'missing[*]')).toBeUndefined();
  });
});
