import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import type { DestinationRecord } from '@/api';
import { destinationsRetryMutation } from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { counted } from '@/lib/words/words';
import { say, sayFault } from '@/parts/toast';

type Props = { id: DestinationRecord['id']; name: string; disabled?: boolean };

/** Members try everything at once that waits for its next attempt to a destination. */
export function RetryNow({ id, name, disabled }: Props) {
  const { can } = useWorkspace();
  const retry = useMutation({
    ...destinationsRetryMutation(),
    onSuccess: ({ deliveries }) => {
      say(
        deliveries === 0
          ? `Nothing can be retried earlier: the last attempts to ${name} keep their times.`
          : `${counted(deliveries, 'delivery', 'deliveries')} to ${name} ${deliveries === 1 ? 'is' : 'are'} tried now.`,
      );
      void refresh('incidentsNotices', 'incidentsRead', 'deliveriesList', 'deliveriesRead', 'destinationsList');
    },
    onError: sayFault,
  });
  if (!can('member')) return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      mih="var(--target)"
      leftSection={<RotateCw size={14} aria-hidden />}
      aria-label={`Retry now: ${name}`}
      disabled={disabled}
      loading={retry.isPending}
      onClick={() => retry.mutate({ path: { destination_id: id } })}
    >
      Retry now
    </Button>
  );
}
