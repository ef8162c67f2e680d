import { describe, expect, it } from 'vitest';
import { sortOf, sortQuery, sortText, sortsOf } from '@/screens/inbox/sorts';

describe('sorts of the inbox', () => {
  it.each([
    [null, 'open', { name: 'lastSeen', order: 'desc' }],
    ['-events', 'open', { name: 'events', order: 'desc' }],
    ['title', 'open', { name: 'title', order: 'asc' }],
    ['-resolved', 'resolved', { name: 'resolved', order: 'desc' }],
    ['-resolved', 'open', { name: 'lastSeen', order: 'desc' }],
    ['-resolved', 'all', { name: 'lastSeen', order: 'desc' }],
    ['colour', 'open', { name: 'lastSeen', order: 'desc' }],
  ])('reads %j in the tab %s', (text, tab, sort) => {
    expect(sortOf(text, tab)).toEqual(sort);
  });

  it('writes every sort as it is read', () => {
    for (const { name } of sortsOf('resolved'))
      for (const order of ['asc', 'desc'] as const)
        expect(sortOf(sortText({ name, order }), 'resolved')).toEqual({ name, order });
  });

  it('omits the default sort from the address and the request', () => {
    expect(sortText({ name: 'lastSeen', order: 'desc' })).toBe('');
    expect(sortQuery({ name: 'lastSeen', order: 'desc' })).toEqual({});
    expect(sortQuery({ name: 'lastSeen', order: 'asc' })).toEqual({ sort: 'lastSeen', order: 'asc' });
  });
});
