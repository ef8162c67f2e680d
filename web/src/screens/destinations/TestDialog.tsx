import { Box, Button, Group, SimpleGrid, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { DestinationRecord } from '@/api';
import { destinationsTestMutation } from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import { requestText } from '@/lib/words/requestText';
import { Modal } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { CodeBlock } from '@/parts/Snippets';
import { Untold } from '@/screens/destinations/Untold';

const ERRORS: Record<string, string> = {
  timeout: 'The receiver did not respond in time.',
  name_unknown: 'The host name does not resolve.',
  address_refused: 'The address is not allowed.',
  connect_failed: 'The connection failed.',
  tls_failed: 'The TLS connection failed. Check the certificate.',
  connection_lost: 'The connection was closed before the response.',
  bad_answer: 'The response is not HTTP.',
  unsendable: 'The request could not be sent.',
  message_refused: 'The service refused the message.',
  destination_refused: 'The service refused the credential or the recipient.',
  service_busy: 'The service is busy. Try again later.',
};

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
  const request = receipt?.request ? requestText(receipt.request) : 'Nothing was sent.';
  const answer = receipt
    ? `${receipt.statusCode ?? 'No response'}\n${receipt.durationMs} ms${receipt.responseExcerpt ? `\n\n${receipt.responseExcerpt}` : ''}`
    : '';
  return (
    <Modal opened={destination !== null} onClose={onClose} title={`Test of ${destination?.name ?? ''}`} size="xl">
      <div aria-live="polite">
        {test.isPending && <SkeletonRows count={3} />}
        {test.error && <ProblemAlert fault={test.error} onRetry={send} />}
        {receipt && (
          <>
            <Text
              fw={600}
              mb="sm"
              style={{ color: receipt.status === 'sent' ? 'var(--severity-success)' : 'var(--severity-critical)' }}
            >
              {receipt.status === 'sent'
                ? 'The receiver accepted the test.'
                : (ERRORS[receipt.error ?? ''] ??
                  `The receiver refused the test${receipt.statusCode ? ` with ${receipt.statusCode}` : ''}.`)}
            </Text>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <section>
                <Title order={3} size="sm" mb={4}>
                  Request
                </Title>
                <CodeBlock text={request} label="Request" />
              </section>
              <section>
                <Title order={3} size="sm" mb={4}>
                  Response
                </Title>
                <CodeBlock text={answer} label="Response" />
              </section>
            </SimpleGrid>
          </>
        )}
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
