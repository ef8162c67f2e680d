import { Anchor, Button, Group } from '@mantine/core';
import { Send } from 'lucide-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { DestinationRecord } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { RetryNow } from '@/parts/RetryNow';
import { Health } from '@/screens/destinations/Health';
import { ReplayFailed } from '@/screens/destinations/ReplayFailed';
import classes from '@/screens/destinations/Summary.module.css';

type Props = { of: DestinationRecord; readOnly: boolean; onTest: () => void };

/** How a destination fares: its health, what names it, and the ways to its deliveries. */
export function Summary({ of: destination, readOnly, onTest }: Props) {
  const { href } = useWorkspace();
  const deliveries = href(`deliveries?destinationId=${destination.id}`);
  return (
    <section className={classes.summary} aria-label="State">
      <Health of={destination} />
      <dl className={classes.facts}>
        <dt>Used by</dt>
        <dd>
          <Uses of={destination} />
        </dd>
        <dt>Deliveries</dt>
        <dd>
          <Anchor component={Link} href={deliveries} size="sm" underline="always">
            All
          </Anchor>
          {' · '}
          <Anchor component={Link} href={`${deliveries}&status=failed`} size="sm" underline="always">
            Failed
          </Anchor>
          {' · '}
          <Anchor component={Link} href={`${deliveries}&status=retrying`} size="sm" underline="always">
            Being retried
          </Anchor>
        </dd>
      </dl>
      {destination.health.state === 'retrying' && (
        <div>
          <RetryNow id={destination.id} name={destination.name} />
        </div>
      )}
      {!readOnly && (
        <Group gap="xs">
          <Button variant="default" mih="var(--target)" leftSection={<Send size={15} aria-hidden />} onClick={onTest}>
            Send a test
          </Button>
          <ReplayFailed of={destination} />
        </Group>
      )}
    </section>
  );
}

/** Links to what names the destination. Without any, no incident leads to it. */
function Uses({ of: { usedBy } }: { of: DestinationRecord }) {
  const { href } = useWorkspace();
  const links: [string, string][] = [
    ...(usedBy.defaultRoute ? [['Default route', 'rules/default'] as [string, string]] : []),
    ...usedBy.rules.map((each): [string, string] => [`Rule ${each.name}`, `rules/${each.id}`]),
    ...usedBy.routingProfiles.map((each): [string, string] => [`Profile ${each.name}`, `profiles/${each.id}`]),
  ];
  const more = usedBy.rulesTotal - usedBy.rules.length + usedBy.routingProfilesTotal - usedBy.routingProfiles.length;
  if (links.length === 0)
    return (
      <>
        Nothing, so no incidents reach it.{' '}
        <Anchor component={Link} href={href('rules/default')} size="sm" underline="always">
          Change the default route
        </Anchor>
      </>
    );
  return (
    <>
      {links.map(([name, path], index) => (
        <Fragment key={path}>
          {index > 0 && ', '}
          <Anchor component={Link} href={href(path)} size="sm" underline="always">
            {name}
          </Anchor>
        </Fragment>
      ))}
      {more > 0 && ` and ${more.toLocaleString()} more`}
    </>
  );
}
