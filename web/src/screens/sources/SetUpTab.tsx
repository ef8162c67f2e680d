import { Alert, Anchor, Button, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Hourglass, KeyRound, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { SourceRecord } from '@/api';
import { eventsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { counted, SEVERITY_WORD } from '@/lib/words/words';
import styles from '@/parts/styles.module.css';
import { TestEvent } from '@/parts/TestEvent';
import { TimeAgo } from '@/parts/TimeAgo';
import { CreateKey, type KeyChoice } from '@/screens/sources/CreateKey';
import { LastSample } from '@/screens/sources/LastSample';
import { SenderSnippets } from '@/screens/sources/SenderSnippets';
import type { TabProps } from '@/screens/sources/tabProps';
import { useNewKey } from '@/screens/sources/useNewKey';

/** How to send: a key, ready text with the address of this service, and whether something has arrived. */
export function SetUpTab({ source, fresh, onFresh }: TabProps) {
  const { can } = useWorkspace();
  const newKey = useNewKey(source, onFresh);
  const [begin, setBegin] = useState<KeyChoice | null>(null);
  return (
    <Stack px="md" py="md" maw={860} gap="lg">
      <section>
        <Title order={2} mb={4}>
          1. Get a key
        </Title>
        {fresh ? (
          <Text size="sm">
            The snippet below contains the key you just created. It disappears when you leave this screen.
          </Text>
        ) : (
          <>
            <Text size="sm" className="soft" mb="xs">
              A key proves that an event comes from this source. It is shown once.
            </Text>
            {can('admin') ? (
              <Button
                leftSection={<KeyRound size={15} aria-hidden />}
                loading={newKey.isPending}
                onClick={() => newKey.create({})}
              >
                Create a key
              </Button>
            ) : (
              <Text size="sm">Ask a workspace administrator to create one.</Text>
            )}
          </>
        )}
      </section>
      <section>
        <Title order={2} mb={4}>
          2. Send an event
        </Title>
        <SenderSnippets source={source} fresh={fresh} onAsk={can('admin') ? setBegin : null} />
      </section>
      <section aria-live="polite">
        <Title order={2} mb={4}>
          3. See it arrive
        </Title>
        <Arrival source={source} />
      </section>
      {can('admin') && <LastSample source={source} />}
      {can('member') && source.enabled && (
        <section>
          <Title order={2} mb={4}>
            Test without a sender
          </Title>
          <Text size="sm" className="soft" mb="xs">
            A test event needs no key. It is routed like any other event, so its incident may notify people.
          </Text>
          <TestEvent source={source} />
        </section>
      )}
      {source.warnings.length > 0 && <WarningList source={source} />}
      <CreateKey begin={begin} onClose={() => setBegin(null)} newKey={newKey} />
      {newKey.dialog}
    </Stack>
  );
}

function Arrival({ source }: { source: SourceRecord }) {
  if (!source.enabled) return <Text size="sm">The source is disabled. Its keys are refused.</Text>;
  if (source.lastEventAt === null) {
    return (
      <Text size="sm" className={`soft ${styles.line}`}>
        <Hourglass size={15} aria-hidden /> Waiting for the first event. This page updates automatically.
      </Text>
    );
  }
  return (
    <>
      <OpensNothing source={source} />
      <Text size="sm">
        The last event arrived <TimeAgo at={source.lastEventAt} />. {counted(source.eventsLast24h, 'event')} in the last
        24 hours.
      </Text>
    </>
  );
}

/** The last event had no severity of its own, or a low one, and opened nothing: a newcomer looks for it in the inbox. */
function OpensNothing({ source }: { source: SourceRecord }) {
  const { workspace, href, can } = useWorkspace();
  const severity = source.defaultSeverity;
  const isLow = severity === 'INFO' || severity === 'DEBUG';
  const last = useQuery({
    ...eventsListOptions({ query: { workspaceId: workspace.id, sourceId: [source.id], limit: 1 } }),
    enabled: isLow,
  });
  const event = last.data?.items[0];
  if (!isLow || event?.disposition !== 'logged' || event.severity !== severity) return null;
  return (
    <Text size="sm" mb="xs" className={styles.warning}>
      Received, but {SEVERITY_WORD[severity]} opens no incident.{' '}
      {can('admin') && (
        <Anchor component={Link} href={href(`sources/${source.id}?tab=settings`)} underline="always" size="sm">
          Change the default severity
        </Anchor>
      )}
    </Text>
  );
}

/** What the service had to change in events of this source, with the newest example of each kind. */
function WarningList({ source }: { source: SourceRecord }) {
  return (
    <Alert
      color="yellow"
      variant="outline"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={<span className={styles.warning}>Some events were stored with changes</span>}
    >
      <List size="sm" spacing={4}>
        {source.warnings.map((each) => (
          <List.Item key={each.code}>
            <span className="mono">{each.code}</span>, {counted(each.count, 'time')}, last <TimeAgo at={each.lastAt} />:{' '}
            {each.example.detail} {each.example.pointer && <span className="mono soft">{each.example.pointer}</span>}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
