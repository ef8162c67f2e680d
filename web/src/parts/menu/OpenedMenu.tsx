import { Menu, type MenuProps } from '@mantine/core';
import { useEffect, useLayoutEffect, useState, type ReactNode } from 'react';
import type { MenuParts } from '@/parts/menu/PressMenu';

type Props = Omit<MenuProps, 'opened' | 'children'> & {
  isOpen: boolean;
  button: HTMLElement | null;
  children: (menu: MenuParts) => ReactNode;
};

/** A menu beside a button that is on the page already. */
export default function OpenedMenu({ isOpen, button, children, ...props }: Props) {
  const [isMounted, setMounted] = useState(false);
  // The menu remembers where the focus was only when it opens after its mounting.
  useEffect(() => setMounted(true), []);
  return (
    <Menu {...props} opened={isOpen && isMounted}>
      <Menu.Target>
        <Anchor button={button} />
      </Menu.Target>
      <Menu.Dropdown>{children(Menu)}</Menu.Dropdown>
    </Menu>
  );
}

type AnchorProps = { button: HTMLElement | null; ref?: (node: HTMLElement | null) => void; id?: string };

/** Hands the button to the menu, which reads its place and names itself by it. */
function Anchor({ button, ref, id }: AnchorProps) {
  useLayoutEffect(() => {
    ref?.(button);
    if (button && id) button.id = id;
    return () => ref?.(null);
  }, [button, ref, id]);
  return null;
}
