import { describe, expect, it } from 'vitest';
import type { RouteRecord } from '@/api';
import { withFields, wordsOf } from '@/screens/rules/routeFields';

const ROUTE: RouteRecord = {
  destinationIds: ['dst_a'],
  routingProfileId: null,
  dispositions: { CRITICAL: 'incident', ERROR: 'incident', WARNING: 'incident', INFO: 'log', DEBUG: 'log' },
};

describe('the fields of two default routes', () => {
  it('are the recipients and one outcome for each severity', () => {
    expect(wordsOf(ROUTE)).toMatchObject({
      destinationIds: ['dst_a'],
      routingProfileId: null,
      'Critical events': 'Open an incident',
      'Info events': 'Log only',
    });
  });

  it('are merged: own changes win, else the newer record', () => {
    const edited: RouteRecord = { ...ROUTE, dispositions: { ...ROUTE.dispositions, INFO: 'incident' } };
    const latest: RouteRecord = {
      ...ROUTE,
      destinationIds: [],
      dispositions: { ...ROUTE.dispositions, DEBUG: 'incident' },
    };

    const merged = withFields(latest, edited, ['Info events']);

    expect(merged.destinationIds).toEqual([]);
    expect(merged.dispositions).toMatchObject({ INFO: 'incident', DEBUG: 'incident', ERROR: 'incident' });
  });
});
