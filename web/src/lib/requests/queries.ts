import { QueryClient } from '@tanstack/react-query';
import { isProblem } from '@/lib/requests/problems';
import { isLong } from '@/lib/requests/reread';

/** Answers worth another try: none came, or the server was not ready. */
function isWorthRetrying(count: number, fault: unknown): boolean {
  return count < 2 && (!isProblem(fault) || fault.status === 503);
}

/** One cache. The live layer marks what has changed; hence what it holds is fresh until then. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      gcTime: 300_000,
      retry: isWorthRetrying,
      refetchOnWindowFocus: (query) => !isLong(query),
      refetchOnReconnect: false,
      networkMode: 'always',
    },
    // Without a connection an act fails at once: one that is sent later could be wrong by then.
    mutations: { retry: false, networkMode: 'always' },
  },
});
