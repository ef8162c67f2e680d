import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, CircleHelp, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { DestinationRecord, ReceivedRequest } from '@/api';
import { destinationsTestMutation } from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import { CodeBlock } from '@/parts/Snippets';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { sayFault } from '@/parts/toast';
import { headerOf, rawText, summaryOf, verdictOf, type Verdict } from '@/screens/welcome/signature';
import { WaitingFor } from '@/screens/welcome/Step';
import classes from '@/screens/welcome/Welcome.module.css';

type Props = {
  requests: ReceivedRequest[];
  destination: DestinationRecord;
  secret: string | null;
  onReplace: () => void;
  isReplacing: boolean;
};

/** The last requests of the built-in receiver, newest first, each with the verdict of this browser. */
export function Receiver({ requests, destination, secret, onReplace, isReplacing }: Props) {
  const test = useMutation({
    ...destinationsTestMutation(),
    onError: sayFault,
    onSettled: () => refresh('builtInReceiverRead', 'deliveriesList', 'destinationsList'),
  });
  const verdicts = useVerdicts(requests, secret);
  return (
    <section className={classes.panel} aria-label="Built-in receiver">
      <Group justify="space-between" gap="sm">
        <Text fw={600} component="h3" m={0}>
          Received requests
        </Text>
        <Group gap="xs">
          {secret === null && (
            <Button size="xs" variant="default" loading={isReplacing} onClick={onReplace}>
              Replace the secret
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            loading={test.isPending}
            onClick={() => test.mutate({ path: { destination_id: destination.id } })}
          >
            Send a test
          </Button>
        </Group>
      </Group>
      {secret === null && (
        <Text size="sm" className="soft">
          The secret was shown only once, on the page that created it. Replace it to verify new requests here.
        </Text>
      )}
      <div aria-live="polite">
        {requests.length === 0 && <WaitingFor>Waiting for the first request.</WaitingFor>}
        <ul className={classes.requests}>
          {requests.map((each, index) => (
            <Request
              key={keyOf(each)}
              request={each}
              verdict={verdicts[keyOf(each)] ?? 'unknown'}
              isFirst={index === 0 && requests.length === 1}
            />
          ))}
        </ul>
      </div>
      {secret !== null && requests.length > 0 && (
        <details className={styles.below}>
          <summary className={classes.summary}>Verify it in Python</summary>
          <CodeBlock text={PYTHON} label="Python" />
        </details>
      )}
    </section>
  );
}

const PYTHON = `# pip install standardwebhooks
from standardwebhooks import Webhook

def handle(request):
    # Raises WebhookVerificationError when the signature or the time is wrong.
    return Webhook(SECRET).verify(request.get_data(), dict(request.headers))`;

function Request({ request, verdict, isFirst }: { request: ReceivedRequest; verdict: Verdict; isFirst: boolean }) {
  const [isOpen, setOpen] = useState(isFirst);
  const { type, title } = summaryOf(request);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className={classes.arrived}>
      <button type="button" className={classes.request} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Chevron size={15} aria-hidden />
        <span className="mono">{type}</span>
        <span className="clip">{title}</span>
        <Seal verdict={verdict} />
        <span className="soft">
          <TimeAgo at={request.receivedAt} />
        </span>
      </button>
      {isOpen && <CodeBlock text={rawText(request)} label={`Request: ${type}`} />}
    </li>
  );
}

const SEALS: Record<Verdict, [string, string, typeof ShieldCheck]> = {
  valid: ['Signature valid', 'var(--severity-success)', ShieldCheck],
  invalid: ['Signature of another secret', 'var(--severity-warning)', ShieldAlert],
  unknown: ['Not verified', 'var(--text-soft)', CircleHelp],
  unsupported: ['Verified on https and localhost only', 'var(--text-soft)', CircleHelp],
};

function Seal({ verdict }: { verdict: Verdict }) {
  const [text, color, Icon] = SEALS[verdict];
  return (
    <span className={classes.verdict} style={{ color }}>
      <Icon size={15} aria-hidden /> {text}
    </span>
  );
}

/** The verdicts by request. The secret is no part of the key: only whether there is one, and its last characters. */
function useVerdicts(requests: ReceivedRequest[], secret: string | null): Record<string, Verdict> {
  const query = useQuery({
    queryKey: ['verdicts', requests.map(keyOf), secret?.slice(-6) ?? null],
    queryFn: async () =>
      Object.fromEntries(
        await Promise.all(requests.map(async (each) => [keyOf(each), await verdictOf(each, secret)] as const)),
      ),
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: (before) => before,
  });
  return query.data ?? {};
}

function keyOf(request: ReceivedRequest): string {
  return `${request.receivedAt} ${headerOf(request, 'webhook-id')}`;
}
