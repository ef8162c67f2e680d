import type { Menu, MenuProps } from '@mantine/core';
import { cloneElement, lazy, useState, type MouseEvent, type ReactElement, type ReactNode, type Ref } from 'react';
import { Later } from '@/parts/Later';

const load = () => import('@/parts/menu/OpenedMenu');
const OpenedMenu = lazy(load);

/** The parts of a menu: the script that has them is loaded when a menu opens first. */
export type MenuParts = typeof Menu;

type ButtonProps = {
  ref?: Ref<HTMLButtonElement>;
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
};

type Props = Pick<MenuProps, 'position' | 'width' | 'closeOnItemClick'> & {
  button: ReactElement;
  onChange?: (isOpen: boolean) => void;
  children: (menu: MenuParts) => ReactNode;
};

/** A button and its menu. Pointing at the button loads the script of the menu, so that a press shows it at once. */
export function PressMenu({ button: given, onChange, children, ...look }: Props) {
  const button = given as ReactElement<ButtonProps>;
  const [isOpen, setOpen] = useState(false);
  const [node, setNode] = useState<HTMLElement | null>(null);
  const change = (next: boolean) => {
    setOpen(next);
    onChange?.(next);
  };
  return (
    <>
      {cloneElement(button, {
        ref: setNode,
        onPointerEnter: () => void load().catch(() => undefined),
        onFocus: () => void load().catch(() => undefined),
        onClick: (event) => {
          button.props.onClick?.(event);
          change(!isOpen);
        },
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
      })}
      <Later opened={isOpen}>
        <OpenedMenu {...look} isOpen={isOpen} button={node} onChange={change}>
          {children}
        </OpenedMenu>
      </Later>
    </>
  );
}
