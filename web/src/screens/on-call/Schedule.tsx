import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, Pencil, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { ScheduleRecord } from '@/api';
import { schedulesReadOptions } from '@/api/@tanstack/react-query.gen';
import { useMembers } from '@/lib/configuration/members';
import { useKeys } from '@/lib/keyboard/keys';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { clock, shownZone, useNow } from '@/lib/time/time';
import { FeedButton } from '@/parts/calendar/FeedButton';
import { BackLink } from '@/parts/editor/BackLink';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { ChangeDialog } from '@/screens/on-call/ChangeDialog';
import { canCover, isOpen } from '@/screens/on-call/cover';
import { CoverButtons, useCoverAct } from '@/screens/on-call/CoverButtons';
import classes from '@/screens/on-call/OnCall.module.css';
import { Overrides } from '@/screens/on-call/Overrides';
import type { ShownShift } from '@/screens/on-call/past';
import { rangeText, VIEWS } from '@/screens/on-call/range';
import { ScheduleHistory } from '@/screens/on-call/ScheduleHistory';
import { ShiftTable } from '@/screens/on-call/ShiftTable';
import { Timeline } from '@/screens/on-call/Timeline';
import { useRange } from '@/screens/on-call/useRange';
import { useTimeline } from '@/screens/on-call/useTimeline';
import { peopleText, periodText, problemTexts } from '@/screens/on-call/words';

/** One schedule: who is on call in a period, the overrides, and the problems. */
export function Schedule({ id }: { id: ScheduleRecord['id'] }) {
  const { href } = useWorkspace();
  const query = useQuery(schedulesReadOptions({ path: { schedule_id: id } }));
  if (query.data && !query.error) return <Shown schedule={query.data} />;
  return (
    <RecordState query={query} noun="schedule" back={{ href: href('on-call'), label: 'Back to who is on call' }}>
      It may have been deleted.
    </RecordState>
  );
}

function Shown({ schedule }: { schedule: ScheduleRecord }) {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const isAdmin = can('admin');
  const edit = href(`on-call/${schedule.id}/edit`);
  useKeys('On-call schedule', [
    { keys: 'u', label: 'Back to who is on call', run: () => navigate(href('on-call')) },
    ...(isAdmin ? [{ keys: 'e', label: 'Edit the schedule', run: () => navigate(edit) }] : []),
  ]);
  return (
    <>
      <BackLink href={href('on-call')} label="On call" near />
      <PageHeader title={schedule.name} about={<About schedule={schedule} />}>
        <FeedButton scheduleId={schedule.id} title={`Calendar feed of ${schedule.name}`} />
        <ScheduleHistory schedule={schedule} />
        {isAdmin && (
          <Button
            component={Link}
            href={edit}
            variant="default"
            leftSection={<Pencil size={15} aria-hidden />}
            mih="var(--target)"
          >
            Edit
          </Button>
        )}
      </PageHeader>
      <Problems schedule={schedule} />
      <Shifts schedule={counting(schedule)} />
    </>
  );
}

/** The schedule as it counts: the layers rest while it follows a calendar. */
function counting(schedule: ScheduleRecord): ScheduleRecord {
  return schedule.calendar?.isFollowed ? { ...schedule, layers: [] } : schedule;
}

function CalendarText({ calendar: { hint, readAt } }: { calendar: NonNullable<ScheduleRecord['calendar']> }) {
  return <div>{`Follows a calendar at ${hint}, ${readAt ? `read ${clock(readAt)}` : 'not read yet'}`}</div>;
}

function About({ schedule: { description, timezone, calendar } }: { schedule: ScheduleRecord }) {
  const zone = shownZone();
  return (
    <>
      {description && <div>{description}</div>}
      {calendar && <CalendarText calendar={calendar} />}
      {zone === timezone ? `Times in ${zone}` : `Handoffs by the clock of ${timezone}, times shown in ${zone}`}
    </>
  );
}

function Problems({ schedule }: { schedule: ScheduleRecord }) {
  const members = useMembers();
  const failure = schedule.calendar?.failure;
  const texts = [
    ...problemTexts(schedule.problems, schedule.layers, members.of),
    ...(failure ? [`Reading the calendar: ${failure}`] : []),
    ...(schedule.slack?.failure ? [schedule.slack.failure] : []),
  ];
  if (texts.length === 0) return null;
  return (
    <section className={classes.warnings} aria-label="Problems">
      {texts.map((text) => (
        <span key={text} className={styles.line}>
          <TriangleAlert size={14} className={`${styles.rigid} ${styles.warning}`} aria-hidden />
          {text}
        </span>
      ))}
    </section>
  );
}

/** The shifts of a period as a timeline and as a table. */
function Shifts({ schedule }: { schedule: ScheduleRecord }) {
  const { me } = useSession();
  const { can } = useWorkspace();
  const now = useNow();
  const members = useMembers();
  const { range, ...toolbar } = useRange();
  const { final, shifts, layers, overrides, coming } = useTimeline(schedule, range);
  const [selected, setSelected] = useState<string | null>(null);
  const [changed, setChanged] = useState<ShownShift | null>(null);
  const cover = useCoverAct(schedule.id);
  const isPresent = range.from <= now && now < range.to;
  const listed = isPresent ? shifts.filter((each) => Date.parse(each.endsAt) > now) : shifts;
  const shift = shifts.find((each) => each.startsAt === selected);
  const take = (each: ShownShift) => {
    if (!can('member') || !isOpen(each, now)) return;
    if (each.people.length <= 1 && canCover(each, me.id, now)) cover.run(each);
    else setChanged(each);
  };
  return (
    <>
      <Toolbar {...toolbar} text={rangeText(range)} />
      {final.error && (
        <div className={styles.padded}>
          <ProblemAlert fault={final.error} onRetry={() => final.refetch()} />
        </div>
      )}
      <Timeline
        schedule={schedule}
        range={range}
        shifts={shifts}
        layers={layers}
        overrides={overrides}
        nameOf={members.of}
        selected={selected}
        onSelect={setSelected}
        onCover={take}
      />
      <div className={classes.selected} aria-live="polite">
        {shift ? (
          <>
            <span>
              <strong>{peopleText(shift.people, me.id)}</strong>, {periodText(shift)}
            </span>
            <CoverButtons scheduleId={schedule.id} shift={shift} onChange={setChanged} />
          </>
        ) : (
          <span className="soft">Select a shift to cover it.</span>
        )}
      </div>
      <ShiftTable schedule={schedule} query={final} shifts={listed} overrides={overrides} onChange={setChanged} />
      <Overrides overrides={coming} nameOf={members.of} />
      <ChangeDialog scheduleId={schedule.id} shift={changed} onClose={() => setChanged(null)} />
    </>
  );
}

type ToolbarProps = Omit<ReturnType<typeof useRange>, 'range'> & { text: string };

function Toolbar({ view, text, setView, move, today }: ToolbarProps) {
  return (
    <div className={classes.toolbar}>
      <SegmentedControl
        size="xs"
        aria-label="Period"
        data={VIEWS.map(({ value, label }) => ({ value, label }))}
        value={view}
        onChange={(next) => setView(next)}
        classNames={{ label: styles.tallLabel }}
      />
      <Group gap={4} wrap="nowrap">
        <Button variant="default" px={8} mih="var(--target)" aria-label="Earlier" onClick={() => move(-1)}>
          <ChevronLeft size={16} aria-hidden />
        </Button>
        <Button variant="default" mih="var(--target)" onClick={today}>
          Today
        </Button>
        <Button variant="default" px={8} mih="var(--target)" aria-label="Later" onClick={() => move(1)}>
          <ChevronRight size={16} aria-hidden />
        </Button>
      </Group>
      <Text size="sm" fw={600} aria-live="polite">
        {text}
      </Text>
    </div>
  );
}
