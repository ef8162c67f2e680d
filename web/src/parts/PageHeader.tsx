import { Group, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import styles from '@/parts/styles.module.css';

/** The title of a screen, which takes the focus when the screen opens, and its acts. */
export function PageHeader({ title, about, children }: { title: string; about?: ReactNode; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${instanceName()}`;
    if (document.activeElement === document.body || document.activeElement === null)
      heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" px="md" pt="md" pb="sm" gap="sm">
      <div className={styles.shrinking}>
        <Title order={1} ref={heading} tabIndex={-1} className={styles.heading}>
          {title}
        </Title>
        {about && (
          <Text className="soft" size="sm" component="div">
            {about}
          </Text>
        )}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

export function instanceName(): string {
  return document.documentElement.dataset.name ?? 'Incident Inbox';
}
