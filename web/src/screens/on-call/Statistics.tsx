import { Button, Select, Text, TextInput } from '@mantine/core';
import { ChartNoAxesColumn, Download } from 'lucide-react';
import type { OnCallFigures, ScheduleRecord } from '@/api';
import { useSession } from '@/lib/session/workspace';
import { duration } from '@/lib/time/time';
import { counted } from '@/lib/words/words';
import { type Column, DataTable } from '@/parts/DataTable';
import { EmptyState } from '@/parts/EmptyState';
import styles from '@/parts/styles.module.css';
import { useAttempt } from '@/parts/useAttempt';
import classes from '@/screens/on-call/OnCall.module.css';
import { hours, OTHER, PERIODS } from '@/screens/on-call/statisticsPeriod';
import { useStatistics } from '@/screens/on-call/useStatistics';

/** Hours, nights, pages and response times of each person in a period, as a table and as a file. */
export function Statistics({ schedules }: { schedules: readonly ScheduleRecord[] }) {
  const { me } = useSession();
  const statistics = useStatistics();
  const { query } = statistics;
  return (
    <>
      <Filters statistics={statistics} schedules={schedules} />
      {statistics.fault ? (
        <Text role="alert" className={`${styles.padded} ${styles.critical}`}>
          {statistics.fault}
        </Text>
      ) : (
        <DataTable
          label="Statistics of people on call"
          columns={columns(me.id)}
          query={{ ...query, data: query.data && { pages: [query.data] }, hasNextPage: false }}
          rowKey={(row) => row.userId}
          empty={
            <EmptyState icon={ChartNoAxesColumn} title="Nobody was on call in this period">
              Choose a longer period, or another schedule.
            </EmptyState>
          }
        />
      )}
      <Text size="sm" className={`soft ${styles.padded}`}>
        Nights are from 22:00 to 06:00 and count with any part, weekends are Saturday and Sunday, both by the clock of
        the schedule. The response time is the median from the first page of an incident until the person acknowledges
        it.
      </Text>
    </>
  );
}

type FiltersProps = { statistics: ReturnType<typeof useStatistics>; schedules: readonly ScheduleRecord[] };

function Filters({ statistics, schedules }: FiltersProps) {
  const { name, days, scheduleId, fault, query, set, save } = statistics;
  const { busy, attempt } = useAttempt();
  return (
    <div className={classes.filters} role="search" aria-label="Statistics of people on call">
      <Select
        label="Period"
        w={170}
        allowDeselect={false}
        data={[...PERIODS]}
        value={name}
        onChange={(period) => period && set(period === OTHER ? { period, ...days } : { period, since: '', until: '' })}
      />
      {name === OTHER && (
        <>
          <TextInput
            label="First day"
            type="date"
            w={160}
            value={days.since}
            onChange={(event) => event.currentTarget.value && set({ since: event.currentTarget.value })}
          />
          <TextInput
            label="Last day"
            type="date"
            w={160}
            value={days.until}
            error={fault !== ''}
            onChange={(event) => event.currentTarget.value && set({ until: event.currentTarget.value })}
          />
        </>
      )}
      <Select
        label="Schedule"
        placeholder="All schedules"
        w={200}
        clearable
        clearButtonProps={{ 'aria-label': 'All schedules' }}
        data={schedules.map((each) => ({ value: each.id, label: each.name }))}
        value={scheduleId}
        onChange={(schedule) => set({ schedule: schedule ?? '' })}
      />
      <Button
        variant="default"
        mih="var(--target)"
        className={classes.exporting}
        leftSection={<Download size={15} aria-hidden />}
        loading={busy !== ''}
        disabled={fault !== '' || !query.data?.items.length}
        onClick={() => void attempt('save', save)}
      >
        Export CSV
      </Button>
    </div>
  );
}

const number = (count: number) => <span className="numbers">{count.toLocaleString()}</span>;
const response = ({ medianResponseSeconds: seconds }: OnCallFigures) => (seconds === null ? '–' : duration(seconds));

function columns(ownId: string): Column<OnCallFigures>[] {
  return [
    {
      header: 'Person',
      cell: (row) => (
        <span className={styles.cell}>
          <strong>{row.userId === ownId ? `${row.name} (you)` : row.name || 'A former member'}</strong>
          <span className={`${classes.narrow} soft`}>{summary(row)}</span>
        </span>
      ),
    },
    { header: 'On call', cell: (row) => <span className="numbers">{hours(row.onCallSeconds)}</span> },
    {
      header: 'On weekends',
      secondary: true,
      cell: (row) => <span className="numbers">{hours(row.weekendSeconds)}</span>,
    },
    { header: 'Nights', secondary: true, cell: (row) => number(row.nights) },
    { header: 'Shifts', secondary: true, cell: (row) => number(row.shifts) },
    { header: 'Pages', secondary: true, cell: (row) => number(row.pages) },
    { header: 'Acknowledged', secondary: true, cell: (row) => number(row.acknowledgedIncidents) },
    { header: 'Response time', secondary: true, cell: response },
  ];
}

/** The other columns in a line, for a phone. */
function summary(row: OnCallFigures): string {
  return [
    counted(row.shifts, 'shift'),
    counted(row.nights, 'night'),
    `${hours(row.weekendSeconds)} on weekends`,
    counted(row.pages, 'page'),
    ...(row.pages > 0 ? [`${counted(row.acknowledgedIncidents, 'incident')} acknowledged`] : []),
    ...(row.medianResponseSeconds === null ? [] : [`response ${response(row)}`]),
  ].join(' · ');
}
