import { Drawer as BaseDrawer, type DrawerProps, Modal as BaseModal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTopmost } from '@/lib/keyboard/topmost';

/** A dialog over the page. Escape closes it while nothing was opened above it. */
export function Modal(props: ModalProps) {
  return <BaseModal closeOnEscape={useTopmost(props.opened)} {...props} opened={useOpening(props.opened)} />;
}

/** A panel at a side of the page. Escape closes it while nothing was opened above it. */
export function Drawer(props: DrawerProps) {
  return <BaseDrawer closeOnEscape={useTopmost(props.opened)} {...props} opened={useOpening(props.opened)} />;
}

/** Opens what is mounted open after its mounting: the base remembers where the focus was only when it opens. */
function useOpening(opened: boolean): boolean {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return opened && isMounted;
}
