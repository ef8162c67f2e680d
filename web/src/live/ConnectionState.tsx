import { Button } from '@mantine/core';
import { WifiOff } from 'lucide-react';
import { queries } from '@/lib/requests/queries';
import { clock, relative, useNow } from '@/lib/time/time';
import styles from '@/parts/styles.module.css';
import { askToSignIn, useConnection } from '@/live/live';
import { useOffline } from '@/live/online';

/** What stands beside the dot, for people who do not know its colours. */
const WORDS: Partial<Record<ReturnType<typeof useConnection>['state'], string>> = {
  polling: 'Not live',
  ended: 'Signed out',
  reconnecting: 'Reconnecting',
};
const STALE = 10_000;
const STARTED = Date.now();
const OF_INCIDENTS = ['incidentsList', 'incidentsRead', 'incidentsTimeline'];

/** A dot in the header: live, connecting, without the stream, after the session, reconnecting since when. */
export function ConnectionDot() {
  const connection = useConnection();
  const [colour, text] =
    connection.state === 'live'
      ? ['var(--severity-success)', 'Live: changes appear automatically']
      : connection.state === 'connecting'
        ? ['var(--text-soft)', 'Connecting']
        : connection.state === 'polling'
          ? ['var(--severity-warning)', 'Not live: the page refreshes periodically']
          : connection.state === 'ended'
            ? ['var(--severity-warning)', 'Not live: your session has ended']
            : ['var(--severity-warning)', `Reconnecting since ${clock(new Date(connection.since).toISOString())}`];
  return (
    <span role="status" aria-label={text} title={text} data-connection={connection.state} className={styles.connection}>
      <span
        className={styles.dot}
        style={{ background: connection.state === 'live' ? colour : 'transparent', border: `2px solid ${colour}` }}
      />
      {WORDS[connection.state] && (
        <span aria-hidden className={styles.connectionWord}>
          {WORDS[connection.state]}
        </span>
      )}
    </span>
  );
}

/** How old the page is: what it shows of a copy is as old as the oldest of it. Everything else was current until the connection ended. */
function shownRead(): number {
  const all = queries.getQueryCache().getAll();
  const copied = all.filter((query) => query.isActive() && isOfIncidents(query) && query.state.dataUpdatedAt < STARTED);
  const read = (some: typeof all) => some.map((query) => query.state.dataUpdatedAt).filter((at) => at > 0);
  const old = read(copied);
  return old.length > 0 ? Math.min(...old) : Math.max(0, ...read(all));
}

function isOfIncidents({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return OF_INCIDENTS.includes((queryKey[0] as { _id?: string } | undefined)?._id ?? '');
}

/**
 * Without a connection: how old the data is, and that nothing can be done now. Without the stream: how old the data is.
 * After the session: how old the data is, and the way to sign in again.
 */
export function ConnectionBar() {
  const connection = useConnection();
  const now = useNow();
  const offline = useOffline();
  const isPolling = connection.state === 'polling' && !offline;
  const isLate = ['polling', 'reconnecting'].includes(connection.state) && now - connection.since >= STALE;
  const hasEnded = connection.state === 'ended' && !offline;
  if (!offline && !isLate && !hasEnded) return null;
  const since = new Date(Math.min(shownRead() || connection.since, now)).toISOString();
  const read = `data from ${clock(since)} (${relative(since, now)})`;
  return (
    <div role="status" className={styles.connectionBar}>
      <WifiOff size={15} aria-hidden color="var(--severity-warning)" className={styles.rigid} />
      {hasEnded
        ? `Your session has ended: showing ${read}.`
        : isPolling
          ? `Live updates are unavailable: showing ${read}. Actions still work, and the page refreshes about every 30 seconds.`
          : `Offline: showing ${read}. You cannot make changes.`}
      {hasEnded && (
        <Button size="compact-sm" variant="default" mih="var(--target)" flex="none" onClick={() => void askToSignIn()}>
          Sign in
        </Button>
      )}
    </div>
  );
}
