import { Button, Tabs, Text, Title } from '@mantine/core';
import { CalendarClock, Plus, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import type { OnCallNowRecord, ScheduleRecord } from '@/api';
import { useMembers } from '@/lib/configuration/members';
import { useKeys } from '@/lib/keyboard/keys';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import { Deleted } from '@/parts/history/Deleted';
import { NameLink } from '@/parts/lists/NameLink';
import { PageHeader } from '@/parts/PageHeader';
import styles from '@/parts/styles.module.css';
import { TimeAgo, TimeAt } from '@/parts/TimeAgo';
import { Forwardings } from '@/screens/on-call/Forwardings';
import { MyShifts } from '@/screens/on-call/MyShifts';
import classes from '@/screens/on-call/OnCall.module.css';
import { Statistics } from '@/screens/on-call/Statistics';
import { useSchedules } from '@/screens/on-call/useSchedules';
import { peopleText, problemSummary, problemTexts } from '@/screens/on-call/words';

/** Who is on call now, and the statistics of the people. */
export function Overview() {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const read = useSchedules();
  const { onCall } = read;
  const isAdmin = can('admin');
  useKeys('On call', [{ keys: 'c', label: 'New schedule', run: () => navigate(href('on-call/new')) }], isAdmin);
  const create = isAdmin && (
    <Button
      component={Link}
      href={href('on-call/new')}
      leftSection={<Plus size={15} aria-hidden />}
      mih="var(--target)"
    >
      New schedule
    </Button>
  );
  const [search, setSearch] = useSearchParams();
  const active = search.get('tab') === 'statistics' ? 'statistics' : 'now';
  return (
    <>
      <PageHeader title="On call" about="Who is on call now, until when, and who is next.">
        {isAdmin && <Deleted kind="schedules" />}
        {onCall.length > 0 && create}
      </PageHeader>
      <Tabs value={active} onChange={(tab) => setSearch(tab === 'statistics' ? { tab } : {})} keepMounted={false}>
        <Tabs.List px="sm" aria-label="On call">
          <Tabs.Tab value="now" mih="var(--target)">
            Now
          </Tabs.Tab>
          <Tabs.Tab value="statistics" mih="var(--target)">
            Statistics
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="now" pt="sm">
          <Now read={read} create={create} />
        </Tabs.Panel>
        <Tabs.Panel value="statistics">
          <Statistics schedules={read.schedules} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

type NowProps = { read: ReturnType<typeof useSchedules>; create: ReactNode };

/** Who is on call now by each schedule, the own next shifts, and the problems of the schedules. */
function Now({ read: { list, now, schedules, onCall }, create }: NowProps) {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const { me } = useSession();
  return (
    <>
      <DataTable
        label="On call now"
        columns={columns(href, me.id, schedules)}
        query={{ ...now, data: now.data && { pages: [{ items: onCall }] }, hasNextPage: false }}
        rowKey={(row) => row.scheduleId}
        onOpen={(row) => navigate(href(`on-call/${row.scheduleId}`))}
        empty={
          <EmptyState icon={CalendarClock} title="No schedule yet" action={create}>
            A schedule says who is on call at each time: people take turns, for example each week.{' '}
            {can('admin')
              ? 'Create one, and add the people who take turns.'
              : 'Ask a workspace administrator to create one.'}
          </EmptyState>
        }
      />
      {onCall.length > 0 && <MyShifts />}
      {onCall.length > 0 && <Forwardings />}
      {list.data && <Problems schedules={schedules} />}
    </>
  );
}

function columns(
  href: (path: string) => string,
  ownId: string,
  schedules: readonly ScheduleRecord[],
): Column<OnCallNowRecord>[] {
  const problemsOf = (row: OnCallNowRecord) => schedules.find((each) => each.id === row.scheduleId)?.problems ?? [];
  return [
    {
      header: 'Schedule',
      cell: (row) => (
        <span className={styles.cell}>
          <NameLink href={href(`on-call/${row.scheduleId}`)}>{row.name}</NameLink>
          {problemsOf(row).length > 0 && (
            <span className={classes.problem}>
              <TriangleAlert size={14} aria-hidden /> {problemSummary(problemsOf(row))}
            </span>
          )}
        </span>
      ),
    },
    {
      header: 'On call now',
      cell: (row) => (
        <span className={styles.cell}>
          <strong className={row.people.length === 0 ? styles.warning : undefined}>
            {peopleText(row.people, ownId)}
          </strong>
          <span className={`${classes.narrow} soft`}>
            {row.until !== null && 'until '}
            <Until until={row.until} />
          </span>
        </span>
      ),
    },
    { header: 'Until', secondary: true, width: 220, cell: (row) => <Until until={row.until} /> },
    {
      header: 'Next',
      secondary: true,
      cell: (row) => (row.until ? peopleText(row.nextPeople, ownId) : <span className="soft">No change ahead</span>),
    },
  ];
}

function Until({ until }: { until: string | null }) {
  if (until === null) return <span className="soft">no change within 60 days</span>;
  return (
    <>
      <TimeAt at={until} short />, <TimeAgo at={until} />
    </>
  );
}

function Problems({ schedules }: { schedules: readonly ScheduleRecord[] }) {
  const { href } = useWorkspace();
  const members = useMembers();
  const faulty = schedules.filter((each) => each.problems.length > 0);
  if (faulty.length === 0) return null;
  return (
    <section className={classes.section} aria-labelledby="problems">
      <Title order={2} id="problems" mb={4}>
        Problems
      </Title>
      {faulty.map((schedule) => (
        <div key={schedule.id} className={classes.problems}>
          <Link href={href(`on-call/${schedule.id}`)} className={styles.link}>
            {schedule.name}
          </Link>
          {problemTexts(schedule.problems, schedule.layers, members.of).map((text) => (
            <Text key={text} size="sm">
              {text}
            </Text>
          ))}
        </div>
      ))}
    </section>
  );
}
