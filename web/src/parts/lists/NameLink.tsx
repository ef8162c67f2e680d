import { Anchor } from '@mantine/core';
import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import styles from '@/parts/styles.module.css';

/** The name of a record in a table, which leads to the record. The row has the focus and opens it too. */
export function NameLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor
      component={Link}
      href={href}
      onClick={(event: MouseEvent) => event.stopPropagation()}
      fw={600}
      c="var(--text)"
      size="sm"
      tabIndex={-1}
      className={styles.anywhere}
    >
      {children}
    </Anchor>
  );
}
