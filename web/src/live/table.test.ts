import { describe, expect, it } from 'vitest';
import * as generated from '@/api/@tanstack/react-query.gen';
import { concerns } from '@/live/refetch';
import { STALE } from '@/live/table';

const operations = [...new Set(Object.values(STALE).flatMap((each) => each.map(({ operation }) => operation)))];
const key = (operation: string, path?: Record<string, string>) => ({ queryKey: [{ _id: operation, path }] });
const one = { operation: 'incidentsRead', of: 'id', every: 1000 } as const;

describe('the table of references and queries', () => {
  it.each(operations)('names the generated query %s', (operation) => {
    expect(generated).toHaveProperty(`${operation}Options`);
  });

  it('makes the query of the named record stale, and no other record', () => {
    expect(concerns(key('incidentsRead', { incident_id: 'inc_1' }), one, 'inc_1')).toBe(true);
    expect(concerns(key('incidentsRead', { incident_id: 'inc_2' }), one, 'inc_1')).toBe(false);
    expect(concerns(key('incidentsTimeline', { incident_id: 'inc_1' }), one, 'inc_1')).toBe(false);
  });

  it('makes every record stale when the reference names none', () => {
    expect(concerns(key('incidentsRead', { incident_id: 'inc_2' }), one, undefined)).toBe(true);
  });

  it.each([
    ['rule', ['profilesRead', 'profilesList', 'destinationsRead', 'destinationsList']],
    ['source', ['profilesRead', 'profilesList']],
    ['workspace', ['profilesRead', 'profilesList', 'destinationsRead', 'destinationsList']],
    ['routingProfile', ['destinationsRead', 'destinationsList']],
    ['silence', ['incidentsRead', 'incidentsList', 'incidentsExplain']],
  ])('a %s makes records that mention it stale, at most once in five seconds', (type, others) => {
    const stale = STALE[type]?.filter(({ operation }) => others.includes(operation)) ?? [];
    expect(stale.map(({ operation }) => operation).sort()).toEqual([...others].sort());
    expect(stale.filter(({ of, every }) => of !== undefined || every < 5_000)).toEqual([]);
  });

  it('ignores queries that are not generated', () => {
    expect(concerns({ queryKey: ['rulePreview'] }, one, 'inc_1')).toBe(false);
  });
});
