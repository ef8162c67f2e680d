import type { QueryClient } from '@tanstack/react-query';
import type { IncidentRecord } from '@/api';

type Listed = { pages?: { items: IncidentRecord[] }[]; items?: IncidentRecord[] };

/** The incident as a list that was read has it: it is shown at once, also without a connection. */
export function listed(client: QueryClient, id: IncidentRecord['id']): IncidentRecord | undefined {
  return client
    .getQueriesData<Listed>({
      predicate: ({ queryKey }) => (queryKey[0] as { _id?: string } | undefined)?._id === 'incidentsList',
    })
    .flatMap(([, data]) => data?.pages?.flatMap((page) => page.items) ?? data?.items ?? [])
    .find((each) => each.id === id);
}
