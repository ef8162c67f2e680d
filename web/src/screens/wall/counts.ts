import type { IncidentFacets } from '@/api';
import type { Severity } from '@/lib/words/words';

/** How many incidents have this severity. */
export function countOf(found: IncidentFacets | undefined, severity: Severity): number {
  return found?.facets.severity?.values.find((each) => each.value === severity)?.count ?? 0;
}
