import { expect, it, vi } from 'vitest';
import { queryOf } from '@/screens/events/useEvents';

vi.mock('@/lib/preferences/preferences', () => ({ preferences: () => ({}) }));

const NONE = { q: '', source: '', severity: '', disposition: '', label: '', last: '', sort: '' };

it('a period ends at the time of the request, whenever the page was opened', () => {
  expect(queryOf({ ...NONE, last: '1h' })).toEqual({ last: '1h' });
  expect(queryOf({ ...NONE, last: '30d', severity: 'gte:ERROR' })).toEqual({ last: '30d', minSeverity: 'ERROR' });
});

it('invalid values of the address are left out', () => {
  expect(queryOf({ ...NONE, last: '2 weeks', source: 'nonsense', disposition: 'none', q: ' ' })).toEqual({});
});
