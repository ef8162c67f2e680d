import { describe, expect, it } from 'vitest';
import type { ViewRecord } from '@/api';
import { addressOf, currentView, defaultView } from '@/screens/inbox/views';

const NAMES = { source: [{ id: 'src_1', name: 'My db' }] };
const view = (name: string, fields: Partial<ViewRecord>) =>
  ({ name, filters: {}, shared: false, ...fields }) as ViewRecord;

describe('saved views of the inbox', () => {
  it.each([
    [{}, { state: 'all', q: '', sort: '' }],
    [{ state: ['open'] }, { state: '', q: '', sort: '-lastSeen' }],
    [
      { state: ['open'], sort: 'severity' },
      { state: '', q: '', sort: '' },
    ],
    [
      { state: ['snoozed', 'open'], sort: 'severity' },
      { state: 'open,snoozed', q: '', sort: '' },
    ],
    [
      { state: 'resolved', q: 'disk', sort: 'lastSeen' },
      { state: 'resolved', q: 'disk', sort: '' },
    ],
    [
      { state: ['open'], sourceId: ['src_1'], minSeverity: 'ERROR' },
      { state: '', q: 'source:"My db" severity>=error', sort: '-lastSeen' },
    ],
    [
      { state: 'resolved', sort: 'resolved' },
      { state: 'resolved', q: '', sort: '-resolved' },
    ],
    [
      { state: ['open'], order: 'asc' },
      { state: '', q: '', sort: 'lastSeen' },
    ],
  ])('opens %j at its tab with its search', (filters, address) => {
    expect(addressOf(filters, NAMES)).toEqual(address);
  });

  it.each([{ state: ['open', 'lost'] }, { sort: 'resolved' }, { until: '2026-11-21T09:00:00.000Z' }])(
    'does not open %j, which the inbox cannot show',
    (filters) => {
      expect(addressOf(filters, NAMES)).toBeNull();
    },
  );

  it('finds the view that equals the current filters', () => {
    const views = [view('Other', { filters: { state: ['open'], tag: ['a', 'b'] } }), view('All', { filters: {} })];
    expect(currentView(views, { workspaceId: 'wsp_1', state: ['open'], tag: ['b', 'a'] })?.name).toBe('Other');
    expect(currentView(views, { workspaceId: 'wsp_1' })?.name).toBe('All');
    expect(currentView(views, { workspaceId: 'wsp_1', tag: ['a'] })).toBeUndefined();
    expect(currentView(views, { sort: 'events', order: 'desc' })).toBeUndefined();
    const noisy = view('Noisy', { filters: { sort: 'events' } });
    expect(currentView([...views, noisy], { sort: 'events', order: 'desc' })?.name).toBe('Noisy');
  });

  it('opens with the personal default before the shared one', () => {
    const shared = view('Shared', { shared: true, isDefault: true });
    const personal = view('Mine', { isDefault: true });
    expect(defaultView([shared, personal])?.name).toBe('Mine');
    expect(defaultView([shared, view('None', {})])?.name).toBe('Shared');
    expect(defaultView([view('None', {})])).toBeUndefined();
  });
});
