import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { incidentsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { counted } from '@/lib/words/words';
import { NotifyNow } from '@/live/NotifyNow';

/** Open incidents that nobody was told of, such as those older than the first destination, and the offer to notify now. */
export function Untold({ inset = 0 }: { inset?: number | string }) {
  const { workspace, can } = useWorkspace();
  const query = useQuery({
    ...incidentsListOptions({ query: { workspaceId: workspace.id, state: ['open', 'acknowledged'], limit: 100 } }),
    enabled: can('member'),
  });
  const untold = query.data?.items.filter((each) => each.notifiedNobody) ?? [];
  if (untold.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" mx={inset} mb="md" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {untold.length === 1
            ? 'No one was notified of 1 open incident.'
            : `No one was notified of ${counted(untold.length, 'open incident')}.`}
        </Text>
        <NotifyNow incidents={untold} />
      </Group>
    </Alert>
  );
}
