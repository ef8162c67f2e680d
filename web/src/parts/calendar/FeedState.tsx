import { Code } from '@mantine/core';
import type { CalendarFeedRecord } from '@/api';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';

/** The end of the secret, and when a program read the feed last. */
export function FeedState({ feed: { hint, createdAt, lastUsedAt } }: { feed: CalendarFeedRecord }) {
  return (
    <div className={`soft ${styles.small}`}>
      Address ending in <Code>{hint}</Code>, created <TimeAgo at={createdAt} />,{' '}
      {lastUsedAt ? (
        <>
          read <TimeAgo at={lastUsedAt} />
        </>
      ) : (
        'never read'
      )}
    </div>
  );
}
