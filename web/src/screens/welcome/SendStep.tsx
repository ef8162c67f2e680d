import { Anchor, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { keysCreate, sourcesCreate, sourcesList, type IncidentRecord, type WorkspaceRecord } from '@/api';
import { sourcesListOptions } from '@/api/@tanstack/react-query.gen';
import { KEY_VARIABLE, sendEvent, snippets, TRIGGER } from '@/lib/configuration/sending';
import { ownAddress } from '@/lib/navigation/base';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { NotifiedNobody } from '@/parts/NotifiedNobody';
import { SeverityBadge } from '@/parts/SeverityBadge';
import { Snippets } from '@/parts/Snippets';
import { StateChip } from '@/parts/StateChip';
import styles from '@/parts/styles.module.css';
import { sayFault } from '@/parts/toast';
import { WaitingFor } from '@/screens/welcome/Step';
import classes from '@/screens/welcome/Welcome.module.css';

type Props = {
  secret: string | null;
  onSecret: (secret: string) => void;
  onShow: () => void;
  hasEvent: boolean;
  incident: IncidentRecord | undefined;
};

/** A key, ready texts that send with it, and what arrived. */
export function SendStep({ secret, onSecret, onShow, hasEvent, incident }: Props) {
  const { workspace, can } = useWorkspace();
  const create = useMutation({
    mutationFn: () => firstKey(workspace.id),
    gcTime: 0,
    onError: sayFault,
    onSuccess: (made) => {
      onSecret(made);
      void refresh('sourcesList', 'keysOfSource');
    },
  });
  const send = useMutation({ mutationFn: () => sendEvent(secret ?? '', TRIGGER), onError: sayFault });
  return (
    <>
      {secret === null && can('admin') && (
        <Group mb="sm">
          <Button variant={hasEvent ? 'default' : 'filled'} loading={create.isPending} onClick={() => create.mutate()}>
            Create a source and a key
          </Button>
          <Text size="sm" className="soft">
            The snippets below will contain the key.
          </Text>
        </Group>
      )}
      {secret !== null && (
        <Group mb="sm">
          <Button variant="default" onClick={onShow}>
            Show the key
          </Button>
          <Text size="sm" className="soft">
            The snippets below contain it. It is not shown again on any other page.
          </Text>
        </Group>
      )}
      {secret === null && !can('admin') && (
        <Text size="sm" mb="sm">
          Ask a workspace administrator to create a source and a key.
        </Text>
      )}
      <Snippets items={snippets(ownAddress(), secret ?? KEY_VARIABLE).filter((each) => each.name !== 'resolve')} />
      {secret !== null && (
        <Group mt="sm" gap="sm">
          <Button variant={hasEvent ? 'default' : 'filled'} loading={send.isPending} onClick={() => send.mutate()}>
            Send it from this browser
          </Button>
          <Text size="sm" className="soft">
            Or run one of the snippets in a terminal.
          </Text>
        </Group>
      )}
      <OtherTools />
      <Arrival hasEvent={hasEvent} incident={incident} />
    </>
  );
}

/** The link to the snippets of other senders. */
function OtherTools() {
  const { workspace, href } = useWorkspace();
  const sources = useQuery(sourcesListOptions({ query: { workspaceId: workspace.id, limit: 1 } }));
  const first = sources.data?.items[0];
  if (first === undefined) return null;
  return (
    <Text size="sm" className="soft" mt="sm">
      Alertmanager, Grafana, Uptime Kuma and other tools have snippets in the{' '}
      <Anchor component={Link} href={href(`sources/${first.id}`)} size="sm" underline="always">
        setup of {first.name}
      </Anchor>
      .
    </Text>
  );
}

function Arrival({ hasEvent, incident }: { hasEvent: boolean; incident: IncidentRecord | undefined }) {
  const { href } = useWorkspace();
  return (
    <div aria-live="polite" className={classes.panel}>
      {!hasEvent && <WaitingFor>Waiting for the first event. This page updates automatically.</WaitingFor>}
      {hasEvent && !incident && <Text size="sm">An event has arrived. It opened no incident.</Text>}
      {hasEvent && incident && (
        <Group justify="space-between" gap="sm" className={classes.arrived}>
          <div className={styles.shrinking}>
            <Group gap="sm" mb={2}>
              <SeverityBadge severity={incident.severity} />
              <StateChip state={incident.state} />
            </Group>
            <Text size="sm" fw={600} className={styles.anywhere}>
              {incident.title}
            </Text>
          </div>
          <Group gap="xs">
            {incident.notifiedNobody && <NotifiedNobody />}
            <Button component={Link} href={href(`incidents/${incident.id}`)} variant="default">
              Open the incident
            </Button>
          </Group>
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
