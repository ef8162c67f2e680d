import type { QueryClient } from '@tanstack/react-query';

const LISTS = ['membersList', 'invitesList', 'workspacesList'];

/** The stream says the same a moment later; this holds without a stream, too. */
export function refreshLists(client: QueryClient): void {
  void client.invalidateQueries({
    predicate: ({ queryKey }) => LISTS.includes((queryKey as [{ _id?: string }?])[0]?._id ?? ''),
  });
}
