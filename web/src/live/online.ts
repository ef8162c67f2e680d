import { useSyncExternalStore } from 'react';
import { queries } from '@/lib/requests/queries';
import { connectionNow, onConnection } from '@/live/live';

/** The time a connection may be lost before acts are refused: a reconnection usually takes a moment. */
const PATIENCE = 5000;

/**
 * Whether acts are refused. An act is never kept for later: by then somebody else may have settled the incident, and the
 * act would be wrong.
 */
export function isOffline(): boolean {
  const { state, since } = connectionNow();
  const isLost = state === 'reconnecting' || (state === 'connecting' && !hasReadSince(since));
  return !navigator.onLine || (isLost && Date.now() - since > PATIENCE);
}

/** Returns whether the service answered a read since then, because only the stream may be blocked on the way. */
function hasReadSince(at: number): boolean {
  return queries
    .getQueryCache()
    .getAll()
    .some((query) => query.state.dataUpdatedAt > at);
}

export function useOffline(): boolean {
  return useSyncExternalStore(subscribe, isOffline);
}

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, PATIENCE);
  const stop = onConnection(listener);
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    clearInterval(timer);
    stop();
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
