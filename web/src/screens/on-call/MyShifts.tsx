import { Button, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { PersonShift } from '@/api';
import { personShiftsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo, TimeAt } from '@/parts/TimeAgo';
import classes from '@/screens/on-call/OnCall.module.css';
import { dayOf, iso, rangeOf } from '@/screens/on-call/range';
import { REREAD_MS } from '@/screens/on-call/useSchedules';

const FIRST = 5;

/** The shifts of the signed-in person that begin in the next two weeks, in all schedules of the workspace. */
export function MyShifts() {
  const { shifts, query } = useMyShifts();
  const [isLong, setLong] = useState(false);
  const more = shifts.length - FIRST;
  return (
    <section className={classes.section} aria-labelledby="my-shifts">
      <Title order={2} id="my-shifts" mb={4}>
        Your next shifts
      </Title>
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      {query.data && shifts.length === 0 && (
        <Text size="sm" className="soft">
          You are not on call in the next two weeks.
        </Text>
      )}
      <ul className={classes.shifts}>
        {shifts.slice(0, isLong ? undefined : FIRST).map((shift) => (
          <Row key={`${shift.scheduleId} ${shift.startsAt}`} shift={shift} />
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
  const query = useQuery({
    ...personShiftsListOptions({
      query: { workspaceId: workspace.id, to: iso(rangeOf('month', today).to) },
    }),
    refetchInterval: REREAD_MS,
  });
  const end = rangeOf('two-weeks', today).to;
  return { query, shifts: (query.data?.items ?? []).filter((each) => Date.parse(each.startsAt) < end) };
}

function Row({ shift }: { shift: PersonShift }) {
  const { href } = useWorkspace();
  const now = useNow();
  const hasBegun = Date.parse(shift.startsAt) <= now;
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
        until <TimeAt at={shift.endsAt} short />
      </span>
      <Link href={href(`on-call/${shift.scheduleId}`)} className={styles.link}>
        {shift.scheduleName}
      </Link>
    </li>
  );
}
