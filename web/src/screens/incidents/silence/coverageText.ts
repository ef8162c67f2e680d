import type { SilencePreview } from '@/api';
import { counted } from '@/lib/words/words';

type Found = Pick<SilencePreview, 'count' | 'complete' | 'recentEvents'>;

/** "Mutes 1 open incident, would have muted 9 events in 7 days." */
export function coverageText({ count, complete, recentEvents }: Found): string {
  const incidents = `${complete ? '' : 'at least '}${counted(count, 'open incident')}`;
  const events = `${recentEvents.complete ? '' : 'at least '}${counted(recentEvents.count, 'event')}`;
  return `Mutes ${incidents}, would have muted ${events} in 7 days. Critical incidents are muted too.`;
}
