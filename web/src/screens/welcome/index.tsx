import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleDashed, Hourglass } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { incidentsListOptions, startReadOptions } from '@/api/@tanstack/react-query.gen';
import { keysCreate, sourcesCreate, sourcesList, type IncidentRecord, type WorkspaceRecord } from '@/api';
import { useWorkspace } from '@/app/workspace';
import { refresh } from '@/lib/refresh';
import { curlText, KEY_VARIABLE, RESOLVE, snippets } from '@/lib/sending';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SeverityBadge } from '@/parts/SeverityBadge';
import { ShowOnce } from '@/parts/ShowOnce';
import { CodeBlock, Snippets } from '@/parts/Snippets';
import { StateChip } from '@/parts/StateChip';
import { sayFault } from '@/parts/toast';

const LOOK_AGAIN = 2000;

/** Three steps from nothing to a resolved incident. What is done is read from the data, so the page can be left and opened again. */
export default function Welcome() {
  const { workspace, href, can } = useWorkspace();
  const [secret, setSecret] = useState<string | null>(null);
  const [isShown, setShown] = useState(false);
  const start = useQuery({ ...startReadOptions(), refetchInterval: LOOK_AGAIN });
  const incidents = useQuery({
    ...incidentsListOptions({ query: { workspaceId: workspace.id, limit: 1 } }),
    refetchInterval: LOOK_AGAIN,
  });
  const resolved = useQuery({
    ...incidentsListOptions({ query: { workspaceId: workspace.id, limit: 1, state: ['resolved'] } }),
    refetchInterval: LOOK_AGAIN,
  });
  const create = useMutation({
    mutationFn: () => firstKey(workspace.id),
    gcTime: 0,
    onError: sayFault,
    onSuccess: (made) => {
      setSecret(made);
      setShown(true);
      void refresh('sourcesList', 'keysOfSource');
    },
  });
  const progress = start.data?.progress;
  const incident = incidents.data?.items[0];
  const isResolved = (resolved.data?.items.length ?? 0) > 0;
  const isAdmin = can('admin');
  return (
    <>
      <PageHeader title="Welcome" about="Three steps: send an event, get notified, resolve the incident.">
        <Button component={Link} href={href('inbox')} variant="default">
          Go to the inbox
        </Button>
      </PageHeader>
      {start.error && (
        <div style={{ padding: '0 16px' }}>
          <ProblemAlert fault={start.error} onRetry={() => start.refetch()} />
        </div>
      )}
      <Stack px="md" pb="xl" maw={860} gap="xl">
        <Step number={1} title="Send an event" isDone={progress?.hasEvent ?? false}>
          {secret === null && isAdmin && (
            <Group mb="sm">
              <Button
                variant={progress?.hasEvent ? 'default' : 'filled'}
                loading={create.isPending}
                onClick={() => create.mutate()}
              >
                Create a source and a key
              </Button>
            </Group>
          )}
          {secret === null && !isAdmin && (
            <Text size="sm" mb="sm">
              An administrator of the workspace creates sources and keys.
            </Text>
          )}
          <Snippets
            items={snippets(location.origin, secret ?? KEY_VARIABLE).filter((each) => each.name !== 'resolve')}
          />
          <Arrival hasEvent={progress?.hasEvent ?? false} incident={incident} href={href} />
        </Step>
        <Step number={2} title="Get notified" isDone={progress?.hasSentDelivery ?? false}>
          <Text size="sm" mb="sm">
            {progress?.hasSentDelivery
              ? 'A notice was delivered.'
              : 'Create a signed webhook on the default route, and test it. The next incident is sent to it.'}
          </Text>
          <Button
            component={Link}
            href={href(isAdmin && !progress?.hasSentDelivery ? 'destinations?new=' : 'destinations')}
            variant="default"
          >
            {isAdmin && !progress?.hasSentDelivery ? 'Create a webhook' : 'Show the destinations'}
          </Button>
        </Step>
        <Step number={3} title="Resolve the incident" isDone={isResolved}>
          <Text size="sm" mb="sm">
            The same <span className="mono">dedupKey</span> with the action <span className="mono">resolve</span>{' '}
            resolves the incident. People can resolve it in the inbox, too.
          </Text>
          <CodeBlock text={curlText(location.origin, secret ?? KEY_VARIABLE, RESOLVE)} label="Resolve with curl" />
        </Step>
        {progress?.hasEvent && progress.hasSentDelivery && isResolved && (
          <section aria-live="polite">
            <Title order={2} mb={4}>
              All steps are done
            </Title>
            <Group gap="xs">
              <Button component={Link} href={href('inbox')}>
                Go to the inbox
              </Button>
              <Button component={Link} href={href('members')} variant="default">
                Invite people
              </Button>
            </Group>
          </section>
        )}
      </Stack>
      <ShowOnce
        title="Key of your source"
        secret={isShown && secret ? { label: 'INBOX_KEY', value: secret, fileName: 'inbox.key' } : null}
        onClose={() => setShown(false)}
      >
        <Text size="sm">The text on this page contains it until you leave the page.</Text>
      </ShowOnce>
    </>
  );
}

function Step({
  number,
  title,
  isDone,
  children,
}: {
  number: number;
  title: string;
  isDone: boolean;
  children: ReactNode;
}) {
  const Icon = isDone ? CircleCheck : CircleDashed;
  return (
    <section>
      <Title order={2} mb={6} style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
        <Icon size={18} aria-hidden color={isDone ? 'var(--severity-success)' : 'var(--text-soft)'} />
        {number}. {title}
        {isDone && <span style={{ color: 'var(--severity-success)', fontSize: 13 }}>Done</span>}
      </Title>
      {children}
    </section>
  );
}

function Arrival({
  hasEvent,
  incident,
  href,
}: {
  hasEvent: boolean;
  incident: IncidentRecord | undefined;
  href: (path: string) => string;
}) {
  return (
    <div aria-live="polite" style={{ marginTop: 12, padding: 12, border: '1px solid var(--line)', borderRadius: 6 }}>
      {!hasEvent && (
        <Text size="sm" className="soft" style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
          <Hourglass size={15} aria-hidden /> Waiting for the first event. This page changes by itself.
        </Text>
      )}
      {hasEvent && !incident && <Text size="sm">An event has arrived. It opened no incident.</Text>}
      {hasEvent && incident && (
        <Group justify="space-between" gap="sm">
          <div>
            <Group gap="sm" mb={2}>
              <SeverityBadge severity={incident.severity} />
              <StateChip state={incident.state} />
            </Group>
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {incident.title}
            </Text>
          </div>
          <Button component={Link} href={href(`incidents/${incident.id}`)} variant="default">
            Open the incident
          </Button>
        </Group>
      )}
    </div>
  );
}

/** A key of the only source, or of a new one. */
async function firstKey(workspaceId: WorkspaceRecord['id']): Promise<string> {
  const { data } = await sourcesList({ query: { workspaceId, limit: 1 }, throwOnError: true });
  const source =
    data.items[0] ?? (await sourcesCreate({ body: { workspaceId, name: 'My first source' }, throwOnError: true })).data;
  return (await keysCreate({ path: { source_id: source.id }, body: { name: 'First key' }, throwOnError: true })).data
    .secret;
}
