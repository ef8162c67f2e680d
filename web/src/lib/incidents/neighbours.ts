import type { QueryClient } from '@tanstack/react-query';
import type { IncidentRecord } from '@/api';

type Id = IncidentRecord['id'];
type Listed = { pages?: { items: { id: Id }[] }[]; items?: { id: Id }[] };

/** The incidents before and after one in the list that was read last and has it; null at its ends. */
export function neighbours(client: QueryClient, id: Id): { next: Id | null; previous: Id | null } {
  const lists = client
    .getQueryCache()
    .findAll({ predicate: ({ queryKey }) => (queryKey[0] as { _id?: string } | undefined)?._id === 'incidentsList' })
    .filter((query) => idsOf(query.state.data as Listed | undefined).length > 1)
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  for (const list of lists) {
    const ids = idsOf(list.state.data as Listed | undefined);
    const at = ids.indexOf(id);
    if (at >= 0) return { next: ids[at + 1] ?? null, previous: ids[at - 1] ?? null };
  }
  return { next: null, previous: null };
}

function idsOf(data: Listed | undefined): Id[] {
  const items = data?.pages?.flatMap((page) => page.items) ?? data?.items ?? [];
  return items.map((each) => each.id);
}
