import { expect, it, vi } from 'vitest';
import { queryOf } from '@/screens/events/useEvents';

vi.mock('@/lib/preferences/preferences', () => ({ preferences: () => ({}) }));

const NONE = { q: '', source: '', severity: '', disposition: '', last: '', sort: '' };

it('asks for a period that ends when the service reads, whenever the page was opened', () => {
  expect(queryOf({ ...NONE, last: '1h' })).toEqual({ last: '1h' });
  expect(queryOf({ ...NONE, last: '30d', severity: 'gte:ERROR' })).toEqual({ last: '30d', minSeverity: 'ERROR' });
});

it('leaves out words that fit nothing', () => {
  expect(queryOf({ ...NONE, last: '2 weeks', source: 'nonsense', disposition: 'none', q: ' ' })).toEqual({});
});
