import { counted } from '@/lib/words/words';

/** Describes the counts of a sparkline in words for screen readers. The last count is the current hour. */
export function sparklineText(counts: readonly number[]): string {
  const total = counts.reduce((sum, each) => sum + each, 0);
  const hours = `the last ${counts.length} hours`;
  if (total === 0) return `No events in ${hours}`;
  const most = Math.max(...counts);
  const ago = counts.length - 1 - counts.lastIndexOf(most);
  const when = ago === 0 ? 'this hour' : ago === 1 ? 'an hour ago' : `${ago} hours ago`;
  return `${counted(total, 'event')} in ${hours}, the most ${when}: ${most.toLocaleString()}`;
}
