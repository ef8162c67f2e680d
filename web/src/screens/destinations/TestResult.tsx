import { SimpleGrid, Text, Title } from '@mantine/core';
import type { TestReceipt } from '@/api';
import { requestText } from '@/lib/words/requestText';
import { CodeBlock } from '@/parts/Snippets';

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

/** What became of a test: one sentence, and the request and the answer side by side. */
export function TestResult({ receipt }: { receipt: TestReceipt }) {
  const request = receipt.request ? requestText(receipt.request) : 'Nothing was sent.';
  const answer = `${receipt.statusCode ?? 'No response'}\n${receipt.durationMs} ms${receipt.responseExcerpt ? `\n\n${receipt.responseExcerpt}` : ''}`;
  return (
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
  );
}
