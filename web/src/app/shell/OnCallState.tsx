import { Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { PhoneCall } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { WorkspaceRecord } from '@/api';
import { personShiftsListOptions } from '@/api/@tanstack/react-query.gen';
import { localOf, momentOf } from '@/lib/time/localTime';
import { clock, useNow } from '@/lib/time/time';
import classes from '@/app/shell/Shell.module.css';

/** The first page is read before. */
const WAIT_MS = 2_000;
const DAY = 86_400_000;
/** The clock of the page ticks every ten seconds, and a present shift begins at the time of the answer. */
const SOON = 30_000;

/** In the header while the person is on call in this workspace: until when, with a link to the schedules. */
export function OnCallState({ workspace }: { workspace: WorkspaceRecord }) {
  const [isReady, setReady] = useState(false);
  useTimeout(() => setReady(true), WAIT_MS, { autoInvoke: true });
  const now = useNow();
  // The end of the next day: the address of the request stays the same until midnight.
  const to = momentOf(`${localOf(new Date(now + 2 * DAY)).slice(0, 10)}T00:00`).toISOString();
  const query = useQuery({
    ...personShiftsListOptions({ query: { workspaceId: workspace.id, to } }),
    enabled: isReady,
    staleTime: Infinity,
  });
  const shift = query.data?.items.find(
    (each) => Date.parse(each.startsAt) <= now + SOON && now < Date.parse(each.endsAt),
  );
  if (!shift) return null;
  const text = shift.endsAt < to ? `You are on call until ${clock(shift.endsAt, now)}` : 'You are on call';
  return (
    <Link href={`/w/${workspace.slug}/on-call`} className={classes.onCall} aria-label={text} title={text}>
      <PhoneCall size={16} aria-hidden />
      <Text size="sm" component="span" visibleFrom="md" aria-hidden>
        On call
      </Text>
    </Link>
  );
}
