import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { BadgeCreated, MonitorRecord } from '@/api';
import {
  heartbeatMonitorsCreateBadgeMutation,
  heartbeatMonitorsRemoveBadgeMutation,
} from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { Answers } from '@/parts/Answers';
import { Modal } from '@/parts/dialogs';
import { CodeBlock } from '@/parts/Snippets';
import { say, sayFault } from '@/parts/toast';
import classes from '@/screens/heartbeats/Heartbeats.module.css';

/** A picture of the status for a wiki or a README. Its address is shown once, here. */
export function BadgeSection({ monitor }: { monitor: MonitorRecord }) {
  const { can } = useWorkspace();
  const [made, setMade] = useState<BadgeCreated | null>(null);
  const [question, setQuestion] = useState<'replace' | 'end' | null>(null);
  const close = () => setQuestion(null);
  const path = { monitor_id: monitor.id };
  const create = useMutation({
    ...heartbeatMonitorsCreateBadgeMutation(),
    gcTime: 0,
    onError: sayFault,
    onSuccess: (badge) => {
      close();
      setMade(badge);
      create.reset();
      void refresh('heartbeatMonitorsRead');
    },
  });
  const remove = useMutation({
    ...heartbeatMonitorsRemoveBadgeMutation(),
    onError: sayFault,
    onSuccess: () => {
      close();
      setMade(null);
      say('The badge is deleted. Its address no longer works.');
      void refresh('heartbeatMonitorsRead');
    },
  });
  const isPending = create.isPending || remove.isPending;
  return (
    <section>
      <Title order={2} mb={4}>
        Status badge
      </Title>
      <About />
      {made && <Made badge={made} name={monitor.name} />}
      {can('admin') ? (
        <Group gap="xs" mt="xs">
          <Button
            variant="default"
            mih="var(--target)"
            loading={create.isPending}
            onClick={() => (monitor.hasBadge ? setQuestion('replace') : create.mutate({ path }))}
          >
            {monitor.hasBadge ? 'Replace the badge' : 'Create a badge'}
          </Button>
          {monitor.hasBadge && (
            <Button variant="default" mih="var(--target)" onClick={() => setQuestion('end')}>
              Delete the badge
            </Button>
          )}
        </Group>
      ) : (
        <Text size="sm">
          {monitor.hasBadge ? 'This monitor has a badge.' : 'Ask a workspace administrator to create one.'}
        </Text>
      )}
      <Modal opened={question === 'replace'} onClose={close} title="Replace the badge">
        <Text size="sm">The current address stops working immediately. The new address is shown once.</Text>
        <Answers
          label="Replace the badge"
          busy={isPending}
          onCancel={close}
          onConfirm={() => create.mutate({ path })}
        />
      </Modal>
      <Modal opened={question === 'end'} onClose={close} title="Delete the badge">
        <Text size="sm">Its address stops working immediately. Pages that embed it show nothing.</Text>
        <Answers
          label="Delete the badge"
          color="red"
          busy={isPending}
          onCancel={close}
          onConfirm={() => remove.mutate({ path })}
        />
      </Modal>
    </section>
  );
}

function About() {
  return (
    <Text size="sm" className="soft" mb="xs">
      A small image for a wiki or a README. Anyone with its address can see the name and the status. It cannot send
      pings.
    </Text>
  );
}

/** The new badge with its addresses, until the tab is left. */
function Made({ badge, name }: { badge: BadgeCreated; name: string }) {
  const label = name.replaceAll(/[[\]\\]/g, '\\$&');
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">These addresses are shown once. Copy what you need now.</Text>
      <img src={badge.svgUrl} alt={`Badge of ${name}`} height={20} className={classes.badgeImage} />
      <CodeBlock text={`![${label}](${badge.svgUrl})`} label="Markdown" />
      <CodeBlock text={badge.jsonUrl} label="JSON" />
      <CodeBlock text={badge.shieldsUrl} label="shields.io endpoint" />
    </Stack>
  );
}
