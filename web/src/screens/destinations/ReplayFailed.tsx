import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { DestinationRecord, ReplayResponse } from '@/api';
import { destinationsReplayMutation } from '@/api/@tanstack/react-query.gen';
import { message } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { counted } from '@/lib/words/words';
import { Modal } from '@/parts/dialogs';
import { FormSummary } from '@/parts/ProblemAlert';
import { say } from '@/parts/toast';

const HOUR = 3_600_000;
/** The service looks back fourteen days. A minute less is within them when the request arrives. */
const PERIODS = [
  { value: String(HOUR), label: 'Last hour' },
  { value: String(24 * HOUR), label: 'Last 24 hours' },
  { value: String(7 * 24 * HOUR), label: 'Last 7 days' },
  { value: String(14 * 24 * HOUR - 60_000), label: 'Last 14 days' },
];

/** Sends what the receiver missed: each delivery of a period that failed permanently, as a new one. */
export function ReplayFailed({ of: destination }: { of: DestinationRecord }) {
  const [isOpen, dialog] = useDisclosure(false);
  const [period, setPeriod] = useState(PERIODS[1]!.value);
  const replay = useMutation({
    ...destinationsReplayMutation(),
    onSuccess: (replayed) => {
      say(textOf(destination.name, replayed));
      void refresh('deliveriesList', 'destinationsList', 'destinationsRead');
      close();
    },
  });
  const close = () => {
    replay.reset();
    dialog.close();
  };
  const send = () =>
    replay.mutate({
      path: { destination_id: destination.id },
      body: { since: new Date(Date.now() - Number(period)).toISOString() },
    });
  return (
    <>
      <Button
        variant="default"
        mih="var(--target)"
        leftSection={<RotateCw size={15} aria-hidden />}
        onClick={dialog.open}
      >
        Resend failed deliveries
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Resend failed deliveries of ${destination.name}`}>
        <Stack>
          {replay.error && <FormSummary faults={[message(replay.error)]} />}
          <Text size="sm">
            Resends every permanently failed delivery, oldest first, with a new webhook-id. Deliveries that were already
            resent are skipped.
          </Text>
          <Select
            label="Failed within"
            data={PERIODS}
            allowDeselect={false}
            value={period}
            onChange={(value) => value && setPeriod(value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={replay.isPending} onClick={send}>
              Resend
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function textOf(name: string, { deliveries, more, stale }: ReplayResponse): string {
  const left =
    stale > 0
      ? ` ${counted(stale, 'older notification', 'older notifications')} skipped: the incident has changed since.`
      : '';
  if (deliveries === 0 && stale > 0) return `Nothing was sent to ${name}.${left}`;
  if (deliveries === 0) return `No delivery to ${name} failed in this period.`;
  const verb = deliveries === 1 ? 'is' : 'are';
  const rest = more ? ' More have failed. Resend them when these are done.' : '';
  return `${counted(deliveries, 'delivery', 'deliveries')} ${verb} on the way to ${name}.${rest}${left}`;
}
