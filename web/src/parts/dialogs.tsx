import { Drawer as BaseDrawer, type DrawerProps, Modal as BaseModal, type ModalProps } from '@mantine/core';
import { useTopmost } from '@/lib/keyboard/topmost';
import { useMounted } from '@/parts/useMounted';

/** A dialog over the page. Escape closes it while nothing was opened above it. */
export function Modal(props: ModalProps) {
  return <BaseModal closeOnEscape={useTopmost(props.opened)} {...props} opened={useMounted() && props.opened} />;
}

/** A panel at a side of the page. Escape closes it while nothing was opened above it. */
export function Drawer(props: DrawerProps) {
  return <BaseDrawer closeOnEscape={useTopmost(props.opened)} {...props} opened={useMounted() && props.opened} />;
}
