import type { AuditExportData } from '@/api';

export type Filters = NonNullable<AuditExportData['query']>;

/** The filters that the address names. */
export function filtersOf(search: URLSearchParams): Filters {
  const day = (name: string, time: string) => {
    const value = search.get(name);
    const at = value ? new Date(`${value}T${time}`) : null;
    return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
  };
  const found = {
    action: search.get('action'),
    actorId: search.get('actor'),
    targetId: search.get('targetId'),
    requestId: search.get('request'),
    q: search.get('q'),
    since: day('since', '00:00:00'),
    until: day('until', '23:59:59'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value));
}
