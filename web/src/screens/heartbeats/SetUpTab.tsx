import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Hourglass, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { MonitorRecord } from '@/api';
import { heartbeatMonitorsRotateMutation } from '@/api/@tanstack/react-query.gen';
import { ownAddress } from '@/lib/navigation/base';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { Answers } from '@/parts/Answers';
import { Modal } from '@/parts/dialogs';
import { Snippets } from '@/parts/Snippets';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { sayFault } from '@/parts/toast';
import { BadgeSection } from '@/screens/heartbeats/BadgeSection';
import { pingSnippets, placeholder } from '@/screens/heartbeats/snippets';
import type { TabProps } from '@/screens/heartbeats/tabProps';

/** Set-up of pings: the address, snippets for the usual places of jobs, and whether a ping has arrived. */
export function SetUpTab({ monitor, address, onRotated }: TabProps) {
  return (
    <Stack px="md" py="md" maw={860} gap="lg">
      <section>
        <Title order={2} mb={4}>
          1. Ping address
        </Title>
        <Address monitor={monitor} address={address} onRotated={onRotated} />
      </section>
      <section>
        <Title order={2} mb={4}>
          2. Ping at the end of the job
        </Title>
        <Text size="sm" className="soft" mb="xs">
          {address
            ? 'The text contains the address of this monitor.'
            : 'Replace the address that ends with svc_hb_your_token with the one you stored.'}
        </Text>
        <Snippets items={pingSnippets(address ?? placeholder(ownAddress()), monitor.schedule)} />
      </section>
      <section aria-live="polite">
        <Title order={2} mb={4}>
          3. See it arrive
        </Title>
        <Arrival monitor={monitor} />
      </section>
      <BadgeSection monitor={monitor} />
    </Stack>
  );
}

function Address({ monitor, address, onRotated }: TabProps) {
  const { can } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const rotate = useMutation({
    ...heartbeatMonitorsRotateMutation(),
    gcTime: 0,
    onError: sayFault,
    onSuccess: (created) => {
      setOpen(false);
      onRotated(created);
      rotate.reset();
      void refresh('heartbeatMonitorsRead', 'heartbeatMonitorsList');
    },
  });
  const close = () => setOpen(false);
  return (
    <>
      <Text size="sm" className="soft" mb="xs">
        {address
          ? 'The text below contains the address. It disappears when you leave this screen.'
          : 'The address was shown once. Only a hash of its token is stored.'}{' '}
        The token ends with <span className="mono">{monitor.tokenHint}</span>.
      </Text>
      {can('admin') ? (
        <Button
          variant="default"
          leftSection={<RotateCw size={15} aria-hidden />}
          mih="var(--target)"
          onClick={() => setOpen(true)}
        >
          Rotate the token
        </Button>
      ) : (
        <Text size="sm">Ask a workspace administrator to rotate the token.</Text>
      )}
      <Modal opened={isOpen} onClose={close} title="Rotate the token">
        <Text size="sm">
          The monitor gets a new address, and the old one stops working immediately. Pings are missed until the job uses
          the new address.
        </Text>
        <Answers
          label="Rotate the token"
          busy={rotate.isPending}
          onCancel={close}
          onConfirm={() => rotate.mutate({ path: { monitor_id: monitor.id } })}
        />
      </Modal>
    </>
  );
}

function Arrival({ monitor }: { monitor: MonitorRecord }) {
  if (monitor.lastPingAt === null) {
    return (
      <Text size="sm" className={`soft ${styles.line}`}>
        <Hourglass size={15} aria-hidden /> Waiting for the first ping. This page updates automatically.
      </Text>
    );
  }
  return (
    <Text size="sm">
      The last ping arrived <TimeAgo at={monitor.lastPingAt} />.
    </Text>
  );
}
