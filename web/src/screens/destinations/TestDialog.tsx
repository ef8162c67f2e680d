import { Box, Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { DestinationRecord } from '@/api';
import { destinationsTestMutation } from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import { Modal } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { TestResult } from '@/screens/destinations/TestResult';
import { Untold } from '@/screens/destinations/Untold';

/** Sends one test at once, and shows the request and the answer side by side. */
export function TestDialog({ destination, onClose }: { destination: DestinationRecord | null; onClose: () => void }) {
  const test = useMutation({
    ...destinationsTestMutation(),
    onSettled: () => refresh('destinationsList', 'destinationsRead'),
  });
  const send = () => destination && test.mutate({ path: { destination_id: destination.id } });
  const begin = useEffectEvent(() => {
    test.reset();
    send();
  });
  useEffect(() => begin(), [destination?.id]);
  const receipt = test.data;
  return (
    <Modal opened={destination !== null} onClose={onClose} title={`Test of ${destination?.name ?? ''}`} size="xl">
      <div aria-live="polite">
        {test.isPending && <SkeletonRows count={3} />}
        {test.error && <ProblemAlert fault={test.error} onRetry={send} />}
        {receipt && <TestResult receipt={receipt} />}
      </div>
      {receipt?.status === 'sent' && (
        <Box mt="md">
          <Untold />
        </Box>
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={send} loading={test.isPending}>
          Test again
        </Button>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Modal>
  );
}
