import { Menu, type MenuProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Anchor } from '@/parts/menu/Anchor';
import type { MenuParts } from '@/parts/menu/PressMenu';
import { useMounted } from '@/parts/useMounted';

type Props = Omit<MenuProps, 'opened' | 'children'> & {
  isOpen: boolean;
  button: HTMLElement | null;
  children: (menu: MenuParts) => ReactNode;
};

/** A menu beside a button that is on the page already. */
export default function OpenedMenu({ isOpen, button, children, ...props }: Props) {
  const isMounted = useMounted();
  return (
    <Menu {...props} opened={isOpen && isMounted}>
      <Menu.Target>
        <Anchor button={button} />
      </Menu.Target>
      <Menu.Dropdown>{children(Menu)}</Menu.Dropdown>
    </Menu>
  );
}
