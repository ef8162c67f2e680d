import { useQuery } from '@tanstack/react-query';
import { Monitor } from 'lucide-react';
import { useEffect, useState } from 'react';
import { wallsRead } from '@/api';
import { isProblem } from '@/lib/requests/problems';
import { useNow } from '@/lib/time/time';
import { EmptyState, SkeletonRows } from '@/parts/EmptyState';
import { instanceName } from '@/parts/PageHeader';
import { AllQuiet } from '@/screens/wall/AllQuiet';
import { Board } from '@/screens/wall/Board';
import { HeartbeatList } from '@/screens/wall/Heartbeats';
import { useStaysAwake } from '@/screens/wall/useStaysAwake';

const AGAIN = 10_000;
/** So many missed reads are more than a moment without network. */
const STALE = 6 * AGAIN;

/** The wall display by a link, without an account. The token stays in the address, so that the screen can be reloaded. */
export function Kiosk() {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '');
  const now = useNow();
  const query = useQuery({
    queryKey: ['wall display', token],
    queryFn: async () => (await wallsRead({ body: { token }, throwOnError: true })).data,
    refetchInterval: AGAIN,
    refetchIntervalInBackground: true,
    retry: false,
  });
  const display = query.data;
  const isRefused = isProblem(query.error) && query.error.status === 404;
  useEffect(() => {
    document.title = display ? `${display.workspaceName} · ${instanceName()}` : instanceName();
  }, [display]);
  useStaysAwake();
  if (isRefused)
    return (
      <main id="content">
        <EmptyState isScreen icon={Monitor} title="This link no longer works">
          It was replaced or revoked. Ask a workspace administrator for a new link to the wall display.
        </EmptyState>
      </main>
    );
  const isStale = display !== undefined && now - query.dataUpdatedAt >= STALE;
  return (
    <Board
      name={display?.workspaceName ?? instanceName()}
      now={now}
      staleSince={isStale ? query.dataUpdatedAt : null}
      states={display?.byState as Parameters<typeof Board>[0]['states']}
      countOf={(severity) => display?.bySeverity[severity] ?? 0}
      rows={display?.incidents}
      heartbeats={display && <HeartbeatList {...display.heartbeats} />}
      instead={display ? <AllQuiet /> : <SkeletonRows count={4} />}
    />
  );
}
