import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SourcePage } from '@/api';
import { membersListOptions, profilesListOptions, rulesListOptions } from '@/api/@tanstack/react-query.gen';
import { type Names, namedBy, type Search } from '@/lib/incidents/search';
import { useWorkspace } from '@/lib/session/workspace';

const LIMIT = 200;

type Kind = keyof Names;

/**
 * The records that the tokens of a search name. Only those lists are read that a token needs, or that are in `more`.
 * `isReady` says whether those of the search are read, `areRead` those of `more`.
 */
export function useNames(search: Search, sources: { data?: SourcePage; isFetched: boolean }, more: ReadonlySet<Kind>) {
  const { workspace } = useWorkspace();
  const named = useMemo(() => namedBy(search), [search]);
  const query = { workspaceId: workspace.id, limit: LIMIT };
  const isNeeded = (kind: Kind) => named.has(kind) || more.has(kind);
  const rules = useQuery({ ...rulesListOptions({ query }), enabled: isNeeded('rule') });
  const profiles = useQuery({ ...profilesListOptions({ query }), enabled: isNeeded('profile') });
  const members = useQuery({
    ...membersListOptions({ path: { workspace_id: workspace.id }, query: { limit: LIMIT } }),
    enabled: isNeeded('person'),
  });
  const names = useMemo<Names>(
    () => ({
      source: sources.data?.items ?? [],
      rule: rules.data?.items ?? [],
      profile: profiles.data?.items ?? [],
      person: members.data?.items.map((each) => ({ id: each.userId, name: each.name })) ?? [],
    }),
    [sources.data, rules.data, profiles.data, members.data],
  );
  const lists = { source: sources, rule: rules, profile: profiles, person: members };
  const areAllRead = (kinds: ReadonlySet<Kind>) => [...kinds].every((kind) => lists[kind].isFetched);
  return { names, isReady: areAllRead(named), areRead: areAllRead(more) };
}
