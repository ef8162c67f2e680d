import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SourcePage } from '@/api';
import { membersListOptions, profilesListOptions, rulesListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/app/workspace';
import { type Names, namedBy, type Search } from '@/lib/search';

const LIMIT = 200;

/** The records that the tokens of a search name. Only those lists are read that a token needs. */
export function useNames(search: Search, sources: { data?: SourcePage; isFetched: boolean }) {
  const { workspace } = useWorkspace();
  const named = useMemo(() => namedBy(search), [search]);
  const query = { workspaceId: workspace.id, limit: LIMIT };
  const rules = useQuery({ ...rulesListOptions({ query }), enabled: named.has('rule') });
  const profiles = useQuery({ ...profilesListOptions({ query }), enabled: named.has('profile') });
  const members = useQuery({
    ...membersListOptions({ path: { workspace_id: workspace.id }, query: { limit: LIMIT } }),
    enabled: named.has('person'),
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
  const isReady =
    (!named.has('source') || sources.isFetched) &&
    (!named.has('rule') || rules.isFetched) &&
    (!named.has('profile') || profiles.isFetched) &&
    (!named.has('person') || members.isFetched);
  return { names, isReady };
}
