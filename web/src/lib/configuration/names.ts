import { useQuery } from '@tanstack/react-query';
import { destinationsListOptions, profilesListOptions, sourcesListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';

export type Choice = { value: string; label: string };
export type Names = { destinations: Choice[]; profiles: Choice[]; sources: Choice[]; of: (id: string) => string };

/** The first 100 destinations, profiles and sources of the workspace: choices for forms, and names for ids. */
export function useNames(): Names {
  const workspaceId = useWorkspace().workspace.id;
  const query = { workspaceId, limit: 100 };
  const destinations = choices(useQuery(destinationsListOptions({ query })).data?.items);
  const profiles = choices(useQuery(profilesListOptions({ query })).data?.items);
  const sources = choices(useQuery(sourcesListOptions({ query })).data?.items);
  const all = new Map([...destinations, ...profiles, ...sources].map((each) => [each.value, each.label]));
  return { destinations, profiles, sources, of: (id) => all.get(id) ?? id };
}

function choices(items: readonly { id: string; name: string }[] | undefined): Choice[] {
  return (items ?? []).map((each) => ({ value: each.id, label: each.name }));
}
