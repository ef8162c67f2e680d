import { Button, Group, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { PartyPopper } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { deliveriesListOptions, eventsListOptions, incidentsListOptions } from '@/api/@tanstack/react-query.gen';
import { firstKey, keepFirstKey } from '@/lib/configuration/firstKey';
import { curlText, KEY_VARIABLE, RESOLVE_SECOND, sendEvent, TRIGGER_SECOND } from '@/lib/configuration/sending';
import { ownAddress } from '@/lib/navigation/base';
import { useOptionalWorkspace, useWorkspace } from '@/lib/session/workspace';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { ShowOnce } from '@/parts/ShowOnce';
import { CodeBlock } from '@/parts/Snippets';
import styles from '@/parts/styles.module.css';
import { sayFault } from '@/parts/toast';
import { FirstWorkspace } from '@/screens/welcome/FirstWorkspace';
import { NotifyStep } from '@/screens/welcome/NotifyStep';
import { SendStep } from '@/screens/welcome/SendStep';
import { Step } from '@/screens/welcome/Step';
import classes from '@/screens/welcome/Welcome.module.css';

const LOOK_AGAIN = 2000;
const PAUSE = 1500;

/** The first page of a new account: a workspace, then its three steps. */
export default function Welcome() {
  return useOptionalWorkspace() === null ? <FirstWorkspace /> : <Steps />;
}

/** Three steps from nothing to a resolved incident. What is done is read from the data, so the page can be left and opened again. */
function Steps() {
  const { workspace, href } = useWorkspace();
  const [secret, setSecret] = useState(firstKey);
  const [isShown, setShown] = useState(false);
  useEffect(() => () => keepFirstKey(null), []);
  const list = { workspaceId: workspace.id, limit: 1 } as const;
  const events = useQuery({ ...eventsListOptions({ query: list }), refetchInterval: LOOK_AGAIN });
  const sent = useQuery({
    ...deliveriesListOptions({ query: { ...list, status: ['sent'] } }),
    refetchInterval: LOOK_AGAIN,
  });
  const incidents = useQuery({ ...incidentsListOptions({ query: list }), refetchInterval: LOOK_AGAIN });
  const open = useQuery({
    ...incidentsListOptions({ query: { ...list, state: ['open', 'acknowledged'] } }),
    refetchInterval: LOOK_AGAIN,
  });
  const resolved = useQuery({
    ...incidentsListOptions({ query: { ...list, state: ['resolved'] } }),
    refetchInterval: LOOK_AGAIN,
  });
  const done = [
    (events.data?.items.length ?? 0) > 0,
    (sent.data?.items.length ?? 0) > 0,
    (resolved.data?.items.length ?? 0) > 0,
  ] as const;
  const current = done.indexOf(false);
  return (
    <>
      <PageHeader title="Welcome" about="Three steps: send an event, get notified, resolve the incident.">
        <Button component={Link} href={href('inbox')} variant="default">
          Go to the inbox
        </Button>
      </PageHeader>
      {events.error && (
        <div className={styles.inset}>
          <ProblemAlert fault={events.error} onRetry={() => events.refetch()} />
        </div>
      )}
      <ol className={classes.steps}>
        <Step number={1} title="Send an event" isDone={done[0]} isCurrent={current === 0}>
          <SendStep
            secret={secret}
            onSecret={(made) => {
              setSecret(made);
              setShown(true);
            }}
            onShow={() => setShown(true)}
            hasEvent={done[0]}
            incident={open.data?.items[0] ?? incidents.data?.items[0]}
          />
        </Step>
        <Step number={2} title="Get notified" isDone={done[1]} isCurrent={current === 1}>
          <NotifyStep hasDelivery={done[1]} />
        </Step>
        <Step number={3} title="Resolve the incident" isDone={done[2]} isCurrent={current === 2}>
          <ResolveStep secret={secret} isDone={done[2]} />
        </Step>
      </ol>
      {current === -1 && <AllDone />}
      <ShowOnce
        title="Key of your source"
        secret={isShown && secret ? { label: 'INBOX_KEY', value: secret, fileName: 'inbox.key' } : null}
        onClose={() => setShown(false)}
      >
        <Text size="sm">The snippets on this page contain it until you leave.</Text>
      </ShowOnce>
    </>
  );
}

/** Another incident opens, and the same `dedupKey` resolves it. */
function ResolveStep({ secret, isDone }: { secret: string | null; isDone: boolean }) {
  const send = useMutation({
    mutationFn: async () => {
      await sendEvent(secret ?? '', TRIGGER_SECOND);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      await sendEvent(secret ?? '', RESOLVE_SECOND);
    },
    onError: sayFault,
  });
  const key = secret ?? KEY_VARIABLE;
  const text = [TRIGGER_SECOND, RESOLVE_SECOND].map((event) => curlText(ownAddress(), key, event)).join('\n\n');
  return (
    <>
      <Text size="sm" mb="sm">
        The first event opens another incident, and your destination is notified. The second one has the same{' '}
        <span className="mono">dedupKey</span> and the action <span className="mono">resolve</span>. People can resolve
        incidents in the inbox, too.
      </Text>
      <CodeBlock text={text} label="Open and resolve with curl" />
      {secret !== null && (
        <Button mt="sm" variant={isDone ? 'default' : 'filled'} loading={send.isPending} onClick={() => send.mutate()}>
          Send both from this browser
        </Button>
      )}
    </>
  );
}

function AllDone() {
  const { href, can } = useWorkspace();
  return (
    <section aria-live="polite" className={classes.remainingSteps}>
      <Title order={2} mb={4} className={styles.line}>
        <PartyPopper size={18} aria-hidden /> You&rsquo;re all set
      </Title>
      <Text size="sm" className="soft" mb="sm">
        The built-in receiver is for trials. Delete it once your own destination works.
      </Text>
      <Group gap="xs">
        <Button component={Link} href={href('inbox')}>
          Go to the inbox
        </Button>
        {can('owner') && (
          <Button component={Link} href={href('members')} variant="default">
            Invite people
          </Button>
        )}
        <Button component={Link} href={href('destinations')} variant="default">
          Show the destinations
        </Button>
      </Group>
    </section>
  );
}
