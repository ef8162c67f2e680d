import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from '@/parts/SettingsSection.module.css';
import styles from '@/parts/styles.module.css';

/** One subject of a page of settings: what it is at the left, its fields at the right. */
export function SettingsSection({
  id,
  title,
  about,
  children,
}: {
  id: string;
  title: string;
  about?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div>
        <Title order={2} id={id}>
          {title}
        </Title>
        {about && (
          <Text className="soft" size="sm" component="div" mt={4}>
            {about}
          </Text>
        )}
      </div>
      <div className={classes.fields}>{children}</div>
    </section>
  );
}

/** One row of a short list in a section, with its acts at the end. */
export function SectionRow({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <li className={classes.row}>
      <div className={styles.rowText}>{children}</div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </li>
  );
}

export function SectionList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  );
}
