import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis, LogOut, UserCog, UserMinus } from 'lucide-react';
import type { MemberRecord } from '@/api';

type Props = { member: MemberRecord; own: boolean; isOwner: boolean; onRole: () => void; onRemove: () => void };

/** The acts of the caller on one member; empty for other members without the role. */
export function MemberMenu({ member, own, isOwner, onRole, onRemove }: Props) {
  if (!own && !isOwner) return null;
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${member.name}`}>
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isOwner && (
          <Menu.Item leftSection={<UserCog size={16} aria-hidden />} onClick={onRole}>
            Change role
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={own ? <LogOut size={16} aria-hidden /> : <UserMinus size={16} aria-hidden />}
          onClick={onRemove}
        >
          {own ? 'Leave the workspace' : 'Remove'}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
