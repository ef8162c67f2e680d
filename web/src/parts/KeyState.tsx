import type { KeyRecord } from '@/api';
import { clock, duration, useNow } from '@/lib/time/time';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';

/** Returns whether a rotated key has ended. */
export function isOver(key: KeyRecord): boolean {
  return key.graceEndsAt !== null && Date.parse(key.graceEndsAt) <= Date.now();
}

/** Active, old until when, or revoked. */
export function KeyState({ of: key }: { of: KeyRecord }) {
  const now = useNow();
  if (key.revokedAt)
    return (
      <span className="soft">
        Revoked <TimeAgo at={key.revokedAt} />
      </span>
    );
  if (key.graceEndsAt === null) return <span className={styles.valid}>Active</span>;
  const left = (Date.parse(key.graceEndsAt) - now) / 1000;
  if (left <= 0)
    return (
      <span className="soft">
        Rotated, ended <TimeAgo at={key.graceEndsAt} />
      </span>
    );
  const wasUsed = key.lastUsedAt !== null && now - Date.parse(key.lastUsedAt) < 3_600_000;
  return (
    <span className={styles.warning}>
      <span className={styles.strong}>Old key</span>, works until {clock(key.graceEndsAt, now)} ({duration(left)} left)
      {wasUsed && (
        <span className={styles.block}>
          Used in the last hour{key.lastUsedFrom && ` from ${key.lastUsedFrom.network}`}
        </span>
      )}
    </span>
  );
}
