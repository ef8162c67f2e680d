import type { QueryClient } from '@tanstack/react-query';

const READS = [
  'meRead',
  'meSessions',
  'trustedBrowsersList',
  'factorsRead',
  'devicesList',
  'chatAccountsList',
  'auditListOwn',
];

/** The stream says the same a moment later; this holds without a stream, too. */
export function refreshAccount(client: QueryClient): void {
  void client.invalidateQueries({
    predicate: ({ queryKey }) => READS.includes((queryKey as [{ _id?: string }?])[0]?._id ?? ''),
  });
}
