import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '@/lib/session/workspace';
import { Drawer } from '@/parts/dialogs';
import { DELETED_KINDS, type DeletedKind, type DeletedRecord } from '@/parts/history/deletedKinds';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say } from '@/parts/toast';

type Props = { kind: DeletedKind };

/** A button for the deleted records of the last seven days, each with the way back. */
export function Deleted({ kind }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        mih="var(--target)"
        leftSection={<Trash2 size={15} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Deleted
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="right"
        size="md"
        title={`Deleted ${DELETED_KINDS[kind].nouns}`}
        closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
      >
        <Rows kind={kind} />
      </Drawer>
    </>
  );
}

function Rows({ kind }: Props) {
  const { id } = useWorkspace().workspace;
  const { nouns, about, load } = DELETED_KINDS[kind];
  const query = useQuery({ queryKey: ['deleted', kind, id], queryFn: () => load(id), staleTime: 0, gcTime: 0 });
  const restore = useMutation({
    mutationFn: (record: DeletedRecord) => record.restore(),
    onSuccess: (_, record) => {
      say(`${record.name} restored`);
      void query.refetch();
    },
  });
  if (query.isPending) return <Skeleton h={96} aria-label="Loading" />;
  if (query.error) return <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />;
  return (
    <Stack gap="sm">
      {restore.error && <ProblemAlert fault={restore.error} />}
      {about && query.data.length > 0 && (
        <Text size="sm" className="soft">
          {about}
        </Text>
      )}
      {query.data.length === 0 && (
        <Text size="sm" className="soft">
          No {nouns} were deleted in the last seven days.
        </Text>
      )}
      {query.data.map((record) => (
        <Group key={record.id} justify="space-between" wrap="nowrap">
          <Text size="sm" className={styles.anywhere}>
            {record.name}
            <br />
            {record.deletedAt && (
              <span className="soft">
                deleted <TimeAgo at={record.deletedAt} />
              </span>
            )}
          </Text>
          <Button
            variant="default"
            size="compact-sm"
            mih="var(--target)"
            loading={restore.isPending && restore.variables.id === record.id}
            disabled={restore.isPending}
            onClick={() => restore.mutate(record)}
            aria-label={`Restore ${record.name}`}
          >
            Restore
          </Button>
        </Group>
      ))}
    </Stack>
  );
}
