import type { KeyRecord } from '@/api';
import { TimeAgo } from '@/parts/TimeAgo';

/** When a key was used last, and by which client. */
export function LastUse({ of: { lastUsedAt, lastUsedFrom } }: { of: KeyRecord }) {
  if (!lastUsedAt) return <span className="soft">Never</span>;
  return (
    <span style={{ display: 'block', minWidth: 0 }}>
      <TimeAgo at={lastUsedAt} />
      {lastUsedFrom && (
        <span className="soft" style={{ display: 'block', fontSize: 12, overflowWrap: 'anywhere' }}>
          from <span className="mono">{lastUsedFrom.network}</span>
          {lastUsedFrom.userAgent && (
            <span className="clip" style={{ display: 'block' }} title={lastUsedFrom.userAgent}>
              {lastUsedFrom.userAgent}
            </span>
          )}
        </span>
      )}
    </span>
  );
}
