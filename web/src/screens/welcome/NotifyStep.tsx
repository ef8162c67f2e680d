import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { FlaskConical, type LucideIcon, Send, Smartphone } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { destinationsCreate, destinationsEdit, destinationsTest, type DestinationRecord } from '@/api';
import { builtInReceiverReadOptions, destinationsListOptions } from '@/api/@tanstack/react-query.gen';
import { addToDefaultRoute } from '@/lib/configuration/defaultRoute';
import { newSecret } from '@/lib/configuration/secret';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { PhoneObstacle } from '@/parts/push/PhoneObstacle';
import { sayFault } from '@/parts/toast';
import { Receiver } from '@/screens/welcome/Receiver';
import classes from '@/screens/welcome/Welcome.module.css';

const LOOK_AGAIN = 1500;

/** Three ways to get notified. The first one is a receiver inside the service, which shows what arrives. */
export function NotifyStep({ hasDelivery }: { hasDelivery: boolean }) {
  const { workspace, href, can } = useWorkspace();
  const [secret, setSecret] = useState<string | null>(null);
  const isAdmin = can('admin');
  const receiver = useQuery({
    ...builtInReceiverReadOptions({ path: { workspace_id: workspace.id } }),
    enabled: isAdmin,
    refetchInterval: LOOK_AGAIN,
  });
  const destinations = useQuery(destinationsListOptions({ query: { workspaceId: workspace.id, limit: 200 } }));
  const url = receiver.data?.url;
  const existing = destinations.data?.items.find((each) => each.config.url === url);
  const settled = { onError: sayFault, gcTime: 0 };
  const start = useMutation({
    ...settled,
    mutationFn: () => startTrial(workspace.id, url ?? ''),
    onSuccess: setSecret,
  });
  const replace = useMutation({
    ...settled,
    mutationFn: (destination: DestinationRecord) => replaceSecret(destination),
    onSuccess: setSecret,
  });
  if (!isAdmin)
    return (
      <Text size="sm">
        {hasDelivery ? 'A notification was delivered.' : 'Ask a workspace administrator to create one.'}
      </Text>
    );
  return (
    <>
      <Text size="sm" className="soft">
        Notifications go to destinations. Choose one. You can add more later.
      </Text>
      <div className={classes.choices}>
        <Choice
          icon={FlaskConical}
          title="Try it now"
          text={
            receiver.data?.unavailableBecause ??
            'A signed webhook to a receiver inside this service. This page shows each request and verifies its signature.'
          }
        >
          <Button
            variant={hasDelivery || existing ? 'default' : 'filled'}
            loading={start.isPending}
            disabled={!url || receiver.data?.unavailableBecause !== null || existing !== undefined}
            onClick={() => start.mutate()}
          >
            {existing ? 'In use' : 'Use the built-in receiver'}
          </Button>
        </Choice>
        <Choice
          icon={Send}
          title="A chat, mail or webhook"
          text="Slack, Discord, Telegram, email, your own webhook and others. The form asks for what each one needs."
        >
          <Button component={Link} href={href('destinations?new=')} variant="default">
            New destination
          </Button>
        </Choice>
        <PhoneChoice />
      </div>
      {existing && (
        <Receiver
          requests={receiver.data?.items ?? []}
          destination={existing}
          secret={secret}
          onReplace={() => replace.mutate(existing)}
          isReplacing={replace.isPending}
        />
      )}
    </>
  );
}

function PhoneChoice() {
  return (
    <Choice
      icon={Smartphone}
      title="Your phone"
      text="A paired phone receives notifications, shows incidents and acts on them; no app store needed."
    >
      <PhoneObstacle />
      <Button component={Link} href="/account#devices" variant="default">
        Pair a phone
      </Button>
    </Choice>
  );
}

function Choice({
  icon: Icon,
  title,
  text,
  children,
}: {
  icon: LucideIcon;
  title: string;
  text: string;
  children: ReactNode;
}) {
  return (
    <section className={classes.choice}>
      <Icon size={20} strokeWidth={1.6} color="var(--text-soft)" aria-hidden />
      <Text component="h3" fw={600} m={0}>
        {title}
      </Text>
      <Text size="sm" className="soft">
        {text}
      </Text>
      {children}
    </section>
  );
}

/** Creates the destination with a secret of this browser, puts it on the default route and tests it. */
async function startTrial(workspaceId: DestinationRecord['workspaceId'], url: string): Promise<string> {
  const secret = newSecret();
  const { data } = await destinationsCreate({
    body: { workspaceId, name: 'Built-in receiver', kind: 'webhook', config: { url, secret } },
    throwOnError: true,
  });
  await addToDefaultRoute(data);
  await sendTest(data.id);
  return secret;
}

async function replaceSecret(destination: DestinationRecord): Promise<string> {
  const secret = newSecret();
  const path = { destination_id: destination.id };
  await destinationsEdit({ path, body: { config: { secret } }, throwOnError: true });
  await sendTest(destination.id);
  return secret;
}

async function sendTest(id: DestinationRecord['id']): Promise<void> {
  await destinationsTest({ path: { destination_id: id }, throwOnError: true });
  void refresh('destinationsList', 'builtInReceiverRead', 'deliveriesList');
}
