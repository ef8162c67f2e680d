import type { BucketRecord, StatisticsRecord } from '@/api';
import { chosenCycle, english } from '@/lib/time/time';

/** Buckets begin by the clock of the workspace, so they are labelled in its time zone. */
export function label(start: string, { bucket, timezone }: Pick<StatisticsRecord, 'bucket' | 'timezone'>): string {
  const options: Intl.DateTimeFormatOptions =
    bucket === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { month: 'short', day: 'numeric' };
  const zoned = { ...options, ...chosenCycle(), timeZone: timezone };
  return new Intl.DateTimeFormat(english(), zoned).format(new Date(start));
}

export type Series = { key: string; label: string; colour: string; of: (bucket: BucketRecord) => number };

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
