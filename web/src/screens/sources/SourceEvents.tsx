import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ListTree } from 'lucide-react';
import { Link } from 'wouter';
import { eventsListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { EmptyState } from '@/parts/EmptyState';
import { EventTable } from '@/parts/events/EventTable';
import type { TabProps } from '@/screens/sources/tabProps';

/** The newest events of the source. Filters are on the screen of all events. */
export function SourceEvents({ source }: TabProps) {
  const { workspace, href } = useWorkspace();
  const query = useInfiniteQuery({
    ...eventsListInfiniteOptions({ query: { workspaceId: workspace.id, sourceId: [source.id], limit: 50 } }),
    ...pages,
  });
  return (
    <>
      <Text size="sm" px="md" py="xs">
        <Anchor component={Link} href={href(`events?source=${source.id}`)} size="sm" underline="always">
          Search and filter these events
        </Anchor>
      </Text>
      <EventTable
        query={query}
        withSource={false}
        empty={
          <EmptyState icon={ListTree} title="No event yet">
            Events appear here as soon as they arrive. See the Setup tab.
          </EmptyState>
        }
      />
    </>
  );
}
