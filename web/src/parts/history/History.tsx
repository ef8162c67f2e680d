import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { History as Icon } from 'lucide-react';
import { useState } from 'react';
import type { ActorRecord } from '@/api';
import { isConflict } from '@/lib/requests/problems';
import { Drawer } from '@/parts/dialogs';
import { Difference } from '@/parts/history/Difference';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';

export type Version = { rev: number; at: string; actor: ActorRecord; text: string };

type Props = {
  /** "rule": for the texts of the drawer. */
  noun: string;
  id: string;
  load: () => Promise<Version[]>;
  /** Saves a version again, if the shown one is still the newest. */
  onRevert: ((rev: number, newest: number) => Promise<unknown>) | null;
};

/** A button for the saved versions of a record: who saved what, and the way back to it. */
export function History(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        mih="var(--target)"
        leftSection={<Icon size={15} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        History
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="right"
        size="lg"
        title={`Versions of this ${props.noun}`}
        closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
      >
        <Versions {...props} />
      </Drawer>
    </>
  );
}

function Versions({ id, load, onRevert }: Props) {
  const query = useQuery({ queryKey: ['versions', id], queryFn: load, staleTime: 0 });
  const newest = query.data?.[0];
  const revert = useMutation({
    mutationFn: async (rev: number) => onRevert?.(rev, newest?.rev ?? rev),
    onError: (fault) => isConflict(fault) && query.refetch(),
  });
  if (query.isPending) return <Skeleton h={96} aria-label="Loading" />;
  if (query.error) return <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />;
  return (
    <Stack gap="lg">
      {isConflict(revert.error) && newest && (
        <Text size="sm" role="alert">
          {newest.actor.name || 'Someone else'} just saved version {newest.rev}. Nothing was reverted. Review it, then
          revert again.
        </Text>
      )}
      {revert.error && !isConflict(revert.error) && <ProblemAlert fault={revert.error} />}
      {query.data.map((version, index) => (
        <section key={version.rev} aria-label={`Version ${version.rev}`}>
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm">
              <strong>Version {version.rev}</strong>
              {index === 0 && ', in use'}
              <br />
              <span className="soft">
                <TimeAt at={version.at} /> by {version.actor.name || version.actor.type}
              </span>
            </Text>
            {index > 0 && onRevert && (
              <Button
                variant="default"
                size="compact-sm"
                mih="var(--target)"
                loading={revert.isPending && revert.variables === version.rev}
                disabled={revert.isPending}
                onClick={() => revert.mutate(version.rev)}
                aria-label={`Revert to version ${version.rev}`}
              >
                Revert
              </Button>
            )}
          </Group>
          <Text size="sm" mt={4} className={styles.difference}>
            <Difference before={query.data[index + 1]?.text ?? null} after={version.text} />
          </Text>
        </section>
      ))}
    </Stack>
  );
}
