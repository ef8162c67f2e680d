import type { OverrideRecord, ScheduleRecord } from '@/api';
import { useSession } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { type Column, DataTable, type Pages } from '@/parts/DataTable';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';
import { colourOf, placesOf } from '@/screens/on-call/colours';
import { CoverButtons } from '@/screens/on-call/CoverButtons';
import classes from '@/screens/on-call/OnCall.module.css';
import type { ShownShift } from '@/screens/on-call/past';
import { originTexts } from '@/screens/on-call/useTimeline';

type Props = {
  schedule: ScheduleRecord;
  query: Omit<Pages<ShownShift>, 'data'>;
  shifts: ShownShift[];
  overrides: readonly OverrideRecord[];
  onChange: (shift: ShownShift) => void;
};

/** The shifts of the timeline as a table, for phones and readers of screens. */
export function ShiftTable({ schedule, query, shifts, overrides, onChange }: Props) {
  const columns: Column<ShownShift>[] = [
    { header: 'When', width: 260, cell: (shift) => <When shift={shift} /> },
    { header: 'On call', cell: (shift) => <People shift={shift} schedule={schedule} /> },
    {
      header: 'By',
      secondary: true,
      cell: (shift) => <span className="soft">{originTexts(shift, schedule, overrides)}</span>,
    },
    {
      header: 'Cover',
      width: 150,
      cell: (shift) => <CoverButtons scheduleId={schedule.id} shift={shift} onChange={onChange} />,
    },
  ];
  return (
    <DataTable
      label="Shifts"
      columns={columns}
      query={{
        error: null,
        isPending: query.isPending,
        refetch: query.refetch,
        data: { pages: [{ items: shifts }] },
      }}
      rowKey={(shift) => shift.startsAt}
      empty={null}
    />
  );
}

function When({ shift: { startsAt, endsAt } }: { shift: ShownShift }) {
  const now = useNow();
  const isPresent = Date.parse(startsAt) <= now && now < Date.parse(endsAt);
  return (
    <span className={styles.cell}>
      <span>
        <TimeAt at={startsAt} short /> to <TimeAt at={endsAt} short />
      </span>
      {isPresent && <strong>Now</strong>}
    </span>
  );
}

function People({ shift, schedule }: { shift: ShownShift; schedule: ScheduleRecord }) {
  const { me } = useSession();
  const places = placesOf(schedule.layers);
  if (shift.people.length === 0) return <strong className={styles.warning}>Nobody</strong>;
  return (
    <span className={styles.cell}>
      {shift.people.map((each) => (
        <span key={each.userId} className={classes.person} style={{ ...colourOf(each.userId, places) }}>
          <i aria-hidden />
          {each.name || 'A former member'}
          {each.userId === me.id && ' (you)'}
        </span>
      ))}
    </span>
  );
}
