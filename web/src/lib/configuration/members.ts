import { useInfiniteQuery } from '@tanstack/react-query';
import { membersListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import type { Choice } from '@/lib/configuration/names';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { useWorkspace } from '@/lib/session/workspace';

export type Members = { choices: Choice[]; of: (id: string) => string };

/** The members of the workspace as choices for forms, and names for their ids. */
export function useMembers(): Members {
  const { workspace } = useWorkspace();
  const query = useInfiniteQuery({
    ...membersListInfiniteOptions({
      path: { workspace_id: workspace.id },
      query: { limit: 200, sort: 'name', order: 'asc' },
    }),
    ...pages,
  });
  useAllPages(query);
  const members = query.data?.pages.flatMap((page) => page.items) ?? [];
  const choices = members.map((each) => ({ value: each.userId, label: each.name || each.email }));
  const names = new Map<string, string>(choices.map((each) => [each.value, each.label]));
  const unknown = query.isPending || query.hasNextPage ? 'A member' : 'A former member';
  return { choices, of: (id) => names.get(id) ?? unknown };
}
