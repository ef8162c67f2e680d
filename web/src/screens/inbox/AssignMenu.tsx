import { Menu, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { MemberRecord } from '@/api';
import { membersListOptions } from '@/api/@tanstack/react-query.gen';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import classes from '@/screens/inbox/Inbox.module.css';

/** Whom to assign: the person, nobody, or another member. The button is given. */
export function AssignMenu(of: { children: ReactElement; onChoose: (userId: MemberRecord['userId'] | null) => void }) {
  const { me } = useSession();
  const { workspace } = useWorkspace();
  const [opened, setOpened] = useState(false);
  const members = useQuery({
    ...membersListOptions({ path: { workspace_id: workspace.id }, query: { limit: 200, sort: 'name', order: 'asc' } }),
    enabled: opened,
  });
  const others = members.data?.items.filter((each) => each.userId !== me.id) ?? [];
  const item = { mih: 'var(--target)' } as const;
  return (
    <Menu position="top-start" width={240} opened={opened} onChange={setOpened}>
      <Menu.Target>{of.children}</Menu.Target>
      <Menu.Dropdown mah={360} className={classes.assignees}>
        <Menu.Item {...item} onClick={() => of.onChoose(me.id)}>
          Me
        </Menu.Item>
        <Menu.Item {...item} onClick={() => of.onChoose(null)}>
          Nobody
        </Menu.Item>
        {(others.length > 0 || members.isPending) && <Menu.Divider />}
        {members.isPending && opened && <Skeleton h={14} m="sm" w="60%" />}
        {others.map((each) => (
          <Menu.Item key={each.userId} {...item} onClick={() => of.onChoose(each.userId)}>
            {each.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
