import type { KeyCreated, SourceRecord } from '@/api';

/** A key that was made while the screen is open. It is in the ready text until the screen is left. */
export type FreshKey = Pick<KeyCreated, 'secret' | 'kind' | 'tool'>;

/** What each tab gets: the source, and the key that was made while the screen is open. */
export type TabProps = { source: SourceRecord; fresh: FreshKey | null; onFresh: (key: FreshKey) => void };
