import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { schedulesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import type { PageTargetShape } from '@/api';
import { useMembers } from '@/lib/configuration/members';
import { idsOf, MOST_TARGETS, targetsOf } from '@/lib/configuration/pageTargets';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { useWorkspace } from '@/lib/session/workspace';

type Props = Omit<MultiSelectProps, 'value' | 'data' | 'onChange'> & {
  value: readonly PageTargetShape[] | undefined;
  onChange: (targets: PageTargetShape[]) => void;
};

/**
 * Chooses who is paged: members, and schedules whose people are on call at the time. A choice closes the list, so that it hides
 * no button.
 */
export function PageSelect({ value, onChange, placeholder = 'People or schedules', ...field }: Props) {
  const { workspace } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const members = useMembers();
  const query = useInfiniteQuery({
    ...schedulesListInfiniteOptions({
      query: { workspaceId: workspace.id, limit: 200, sort: 'name', order: 'asc' },
    }),
    ...pages,
  });
  useAllPages(query);
  const schedules = query.data?.pages.flatMap((page) => page.items) ?? [];
  const ids = idsOf(value);
  const known = new Set([...schedules.map((each) => each.id as string), ...members.choices.map((each) => each.value)]);
  const former = ids.filter((id) => !known.has(id));
  return (
    <MultiSelect
      searchable
      maxValues={MOST_TARGETS}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      {...field}
      data={[
        {
          group: 'Who is on call by',
          items: schedules.map((each) => ({ value: each.id, label: each.name })),
        },
        { group: 'Members', items: members.choices },
        ...(former.length > 0
          ? [
              {
                group: 'No longer there',
                items: former.map((id) => ({
                  value: id,
                  label: id.startsWith('sch_') ? 'A schedule' : members.of(id),
                })),
              },
            ]
          : []),
      ]}
      value={ids}
      placeholder={ids.length > 0 ? undefined : placeholder}
      onChange={(next) => {
        setOpen(false);
        onChange(targetsOf(next));
      }}
      nothingFoundMessage="No member and no schedule"
    />
  );
}
