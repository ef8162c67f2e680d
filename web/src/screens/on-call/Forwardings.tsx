import { Button, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ForwardingRecord } from '@/api';
import { forwardingsListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { useMembers } from '@/lib/configuration/members';
import { pages } from '@/lib/requests/pages';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { More } from '@/parts/DataTable';
import { say } from '@/parts/toast';
import { end } from '@/screens/on-call/endForwarding';
import classes from '@/screens/on-call/OnCall.module.css';
import { periodText } from '@/screens/on-call/words';

/** The forwardings that have not ended, with the way to end them. */
export function Forwardings() {
  const { workspace } = useWorkspace();
  const members = useMembers();
  const query = useInfiniteQuery({
    ...forwardingsListInfiniteOptions({
      query: { workspaceId: workspace.id, limit: 50, sort: 'startsAt', order: 'asc' },
    }),
    ...pages,
  });
  const forwardings = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (forwardings.length === 0) return null;
  return (
    <section className={classes.section} aria-labelledby="forwardings">
      <Title order={2} id="forwardings" mb={4}>
        Forwarded shifts
      </Title>
      <ul className={classes.shifts}>
        {forwardings.map((each) => (
          <Row key={each.id} forwarding={each} nameOf={members.of} />
        ))}
      </ul>
      <More query={query} />
    </section>
  );
}

function Row({ forwarding, nameOf }: { forwarding: ForwardingRecord; nameOf: (userId: string) => string }) {
  const { me } = useSession();
  const { can } = useWorkspace();
  const [busy, setBusy] = useState(false);
  const { userId, to, createdBy, reason } = forwarding;
  const mayEnd = can('admin') || (can('member') && [userId, createdBy].includes(me.id));
  const text = `${nameOf(userId)} to ${nameOf(to)}`;
  const remove = async () => {
    setBusy(true);
    if (await end(forwarding)) say('Forwarding removed');
    setBusy(false);
  };
  return (
    <li>
      <span>
        <strong>{text}</strong>, {periodText(forwarding)}
        {reason && <span className="soft"> · {reason}</span>}
      </span>
      {mayEnd && (
        <Button
          size="compact-sm"
          variant="default"
          mih="var(--target)"
          loading={busy}
          aria-label={`Remove the forwarding from ${text}`}
          onClick={() => void remove()}
        >
          Remove
        </Button>
      )}
    </li>
  );
}
