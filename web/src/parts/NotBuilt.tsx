import { Anchor, Text } from '@mantine/core';
import { below } from '@/lib/navigation/base';
import type { Screen } from '@/lib/navigation/screen';
import { EmptyState } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';

/** In the place of a screen that does not exist yet: what it will show, and how to do it meanwhile. */
export function NotBuilt({ screen }: { screen: Screen }) {
  return (
    <>
      <PageHeader title={screen.label} />
      <EmptyState icon={screen.icon} title="This screen does not exist yet">
        <Text>{screen.about}</Text>
        <Text mt="xs">
          Until then, use the{' '}
          <Anchor href={below('/v1/openapi.json')} underline="always">
            API
          </Anchor>{' '}
          or <span className="mono">bin/inbox</span> on the server.
        </Text>
      </EmptyState>
    </>
  );
}
