import type { SourceRecord } from '@/api';

/** What each tab gets: the source, and the key that was made while the screen is open. */
export type TabProps = { source: SourceRecord; secret: string | null; onSecret: (secret: string) => void };
