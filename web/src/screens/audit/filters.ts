import type { AuditExportData } from '@/api';
import { isMoment, momentOf } from '@/lib/time/localTime';

export type Filters = NonNullable<AuditExportData['query']>;

const DAY = 86_400_000;

/** The filters that the address names. Days begin on the clock on which the person reads times. The service leaves `until` out. */
export function filtersOf(search: URLSearchParams): Filters {
  const day = (name: string, later = 0) => {
    const at = Date.parse(`${search.get(name) ?? ''}T00:00Z`) + later;
    const field = Number.isNaN(at) ? '' : new Date(at).toISOString().slice(0, 16);
    return isMoment(field) ? momentOf(field).toISOString() : undefined;
  };
  const found = {
    action: search.get('action'),
    actorId: search.get('actor'),
    targetId: search.get('targetId'),
    requestId: search.get('request'),
    q: search.get('q'),
    since: day('since'),
    until: day('until', DAY),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value));
}
