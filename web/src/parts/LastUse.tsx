import type { KeyRecord } from '@/api';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';

/** When a key was used last, and by which client. */
export function LastUse({ of: { lastUsedAt, lastUsedFrom } }: { of: KeyRecord }) {
  if (!lastUsedAt) return <span className="soft">Never</span>;
  return (
    <span className={styles.use}>
      <TimeAgo at={lastUsedAt} />
      {lastUsedFrom && (
        <span className={`soft ${styles.useDetail}`}>
          from <span className="mono">{lastUsedFrom.network}</span>
          {lastUsedFrom.userAgent && (
            <span className={`clip ${styles.block}`} title={lastUsedFrom.userAgent}>
              {lastUsedFrom.userAgent}
            </span>
          )}
        </span>
      )}
    </span>
  );
}
