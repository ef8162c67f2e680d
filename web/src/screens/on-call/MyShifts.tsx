import { Button, Group, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { PersonShift } from '@/api';
import { personShiftsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { FeedButton } from '@/parts/calendar/FeedButton';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo, TimeAt } from '@/parts/TimeAgo';
import { ForwardDialog } from '@/screens/on-call/ForwardDialog';
import classes from '@/screens/on-call/OnCall.module.css';
import { dayOf, iso, rangeOf } from '@/screens/on-call/range';
import { REREAD_MS } from '@/screens/on-call/useSchedules';

const FIRST = 5;
/** The clock of the page ticks every ten seconds, and a present shift begins at the time of the answer. */
const SOON = 60_000;

/** The shifts of the signed-in person that begin in the next two weeks, in all schedules of the workspace. */
export function MyShifts() {
  const { shifts, query, readTo } = useMyShifts();
  const { can } = useWorkspace();
  const [isForwarding, dialog] = useDisclosure(false);
  const [isLong, setLong] = useState(false);
  const more = shifts.length - FIRST;
  return (
    <section className={classes.section} aria-labelledby="my-shifts">
      <Group justify="space-between" gap="xs" maw={720} mb={4}>
        <Title order={2} id="my-shifts">
          Your next shifts
        </Title>
        <Group gap="xs">
          <FeedButton scheduleId={null} title="Calendar feed of your shifts" isCompact />
          {can('member') && (
            <Button variant="default" size="compact-sm" mih="var(--target)" onClick={dialog.open}>
              Forward shifts
            </Button>
          )}
        </Group>
      </Group>
      <ForwardDialog opened={isForwarding} onClose={dialog.close} />
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      {query.data && shifts.length === 0 && (
        <Text size="sm" className="soft">
          You are not on call in the next two weeks.
        </Text>
      )}
      <ul className={classes.shifts}>
        {shifts.slice(0, isLong ? undefined : FIRST).map((shift) => (
          <Row key={`${shift.scheduleId} ${shift.startsAt}`} shift={shift} readTo={readTo} />
        ))}
      </ul>
      {more > 0 && !isLong && (
        <Button variant="default" size="compact-sm" mt="xs" mih="var(--target)" onClick={() => setLong(true)}>
          Show {more} more
        </Button>
      )}
    </section>
  );
}

/** The period that is read is longer, so that a shift has its real end. */
function useMyShifts() {
  const { workspace } = useWorkspace();
  const today = dayOf(useNow());
  const readTo = rangeOf('month', today).to;
  const query = useQuery({
    ...personShiftsListOptions({
      query: { workspaceId: workspace.id, to: iso(readTo) },
    }),
    refetchInterval: REREAD_MS,
  });
  const end = rangeOf('two-weeks', today).to;
  return { query, readTo, shifts: (query.data?.items ?? []).filter((each) => Date.parse(each.startsAt) < end) };
}

function Row({ shift, readTo }: { shift: PersonShift; readTo: number }) {
  const { href } = useWorkspace();
  const now = useNow();
  const hasBegun = Date.parse(shift.startsAt) <= now + SOON;
  const hasEnd = Date.parse(shift.endsAt) < readTo;
  return (
    <li>
      <span>
        {hasBegun ? (
          <strong>Now</strong>
        ) : (
          <>
            <TimeAt at={shift.startsAt} short /> (<TimeAgo at={shift.startsAt} />)
          </>
        )}{' '}
        {hasEnd ? (
          <>
            until <TimeAt at={shift.endsAt} short />
          </>
        ) : (
          'without a handoff within 30 days'
        )}
      </span>
      <Link href={href(`on-call/${shift.scheduleId}`)} className={styles.link}>
        {shift.scheduleName}
      </Link>
    </li>
  );
}
