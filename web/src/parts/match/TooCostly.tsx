import { Group, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { CostlyRecord } from '@/api';
import styles from '@/parts/styles.module.css';

/** A warning that a rule or silence was left out for events, with what to change; nothing if it was not. */
export function TooCostly({ record }: { record: CostlyRecord | null }) {
  if (!record) return null;
  return (
    <Group gap={6} wrap="nowrap" align="start" mt={4} role="note">
      <TriangleAlert size={16} aria-hidden color="var(--severity-warning)" className={styles.costlyIcon} />
      <Text size="sm">{record.text}</Text>
    </Group>
  );
}
