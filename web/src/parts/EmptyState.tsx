import { Skeleton, Stack, Text, Title } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from '@/parts/styles.module.css';

/** The purpose of an empty list, and the one next step. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
  isScreen,
}: {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** It is all that the screen shows, hence its title is the heading of the page. */
  isScreen?: boolean;
}) {
  return (
    <Stack align="center" gap="xs" py={64} px="md" ta="center">
      {Icon && <Icon size={28} strokeWidth={1.5} color="var(--text-soft)" aria-hidden />}
      <Title order={isScreen ? 1 : 2} size="h2">
        {title}
      </Title>
      {children && (
        <Text className="soft" maw={520} component="div">
          {children}
        </Text>
      )}
      {action && <div className={styles.below}>{action}</div>}
    </Stack>
  );
}

/** Rows to come. */
export function SkeletonRows({ count = 8 }: { count?: number }) {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={styles.skeletonRow}>
          <Skeleton height={12} width={`${70 - ((index * 13) % 40)}%`} />
        </div>
      ))}
    </div>
  );
}
