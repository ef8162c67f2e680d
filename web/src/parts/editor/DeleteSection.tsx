import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from '@/parts/styles.module.css';

type Props = {
  noun: string;
  /** What follows from the deletion, or what to do instead. */
  about?: ReactNode;
  /** The button, or why there is none. */
  children: ReactNode;
};

/** The end of an editor: the deletion of its record. */
export function DeleteSection({ noun, about, children }: Props) {
  return (
    <section className={styles.foot} aria-labelledby="delete">
      <Title order={2} id="delete" mb={4}>
        Delete this {noun}
      </Title>
      {about && (
        <Text size="sm" className="soft" mb="xs">
          {about}
        </Text>
      )}
      {children}
    </section>
  );
}
