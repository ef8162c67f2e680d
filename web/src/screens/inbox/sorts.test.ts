import { describe, expect, it } from 'vitest';
import { sortOf, sortQuery, sortText, sortsOf } from '@/screens/inbox/sorts';

describe('sorts of the inbox', () => {
  it.each([
    [null, 'open', { name: 'severity', order: 'desc' }],
    [null, 'open,snoozed', { name: 'severity', order: 'desc' }],
    [null, 'resolved', { name: 'lastSeen', order: 'desc' }],
    ['-lastSeen', 'open', { name: 'lastSeen', order: 'desc' }],
    ['-events', 'open', { name: 'events', order: 'desc' }],
    ['title', 'open', { name: 'title', order: 'asc' }],
    ['-resolved', 'resolved', { name: 'resolved', order: 'desc' }],
    ['-resolved', 'open', { name: 'severity', order: 'desc' }],
    ['-resolved', 'all', { name: 'lastSeen', order: 'desc' }],
    ['colour', 'open', { name: 'severity', order: 'desc' }],
  ])('reads %j in the tab %s', (text, tab, sort) => {
    expect(sortOf(text, tab)).toEqual(sort);
  });

  it('writes every sort as it is read', () => {
    for (const { name } of sortsOf('resolved'))
      for (const order of ['asc', 'desc'] as const)
        expect(sortOf(sortText({ name, order }, 'resolved'), 'resolved')).toEqual({ name, order });
  });

  it('omits the first sort of a tab from the address, and the order of the API from the request', () => {
    expect(sortText({ name: 'severity', order: 'desc' }, 'open')).toBe('');
    expect(sortText({ name: 'lastSeen', order: 'desc' }, 'open')).toBe('-lastSeen');
    expect(sortText({ name: 'lastSeen', order: 'desc' }, 'all')).toBe('');
    expect(sortQuery({ name: 'lastSeen', order: 'desc' })).toEqual({});
    expect(sortQuery({ name: 'lastSeen', order: 'asc' })).toEqual({ sort: 'lastSeen', order: 'asc' });
  });
});
