import { Portal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from '@/parts/PageBar.module.css';

const SLOT = 'page-bar';

/** On a phone, the place of the buttons of a screen. The elements beside it are hidden while it has some. */
export function PageBarSlot() {
  return <div id={SLOT} className={classes.slot} />;
}

/** The buttons of a screen at the bottom of a phone, in place of the tab bar. */
export function PageBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Portal target={`#${SLOT}`}>
      <div role="group" aria-label={label} className={classes.bar}>
        {children}
      </div>
    </Portal>
  );
}
