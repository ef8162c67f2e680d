import type { IncidentRecord } from '@/api';
import { duration } from '@/lib/time/time';

type Ended = Pick<IncidentRecord, 'openedAt' | 'resolvedAt' | 'resolvedBy'>;

/** "Resolved by Mia after 2 h 5 min"; null while it is not resolved. */
export function ending({ openedAt, resolvedAt, resolvedBy }: Ended): string | null {
  if (resolvedAt === null) return null;
  const took = duration(Math.max(0, (Date.parse(resolvedAt) - Date.parse(openedAt)) / 1000));
  if (resolvedBy?.type === 'event' || resolvedBy?.type === 'timer') return `Auto-resolved in ${took}`;
  return `Resolved ${by(resolvedBy)}after ${took}`;
}

function by(who: IncidentRecord['resolvedBy']): string {
  if (who === null) return '';
  return who.name ? `by ${who.name} ` : '';
}
