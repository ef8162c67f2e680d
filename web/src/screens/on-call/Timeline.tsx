import type { OverrideRecord, ScheduleRecord } from '@/api';
import { useNow } from '@/lib/time/time';
import { placesOf } from '@/screens/on-call/colours';
import { FinalLane } from '@/screens/on-call/FinalLane';
import { Lane, type Piece } from '@/screens/on-call/Lane';
import type { ShownShift } from '@/screens/on-call/past';
import { packed, type Range, ticksOf } from '@/screens/on-call/range';
import classes from '@/screens/on-call/Timeline.module.css';
import type { LayerLane } from '@/screens/on-call/useTimeline';

type Props = {
  schedule: ScheduleRecord;
  range: Range;
  shifts: readonly ShownShift[];
  layers: readonly LayerLane[];
  overrides: readonly OverrideRecord[];
  nameOf: (userId: string) => string;
  selected: string | null;
  onSelect: (startsAt: string) => void;
  onCover: (shift: ShownShift) => void;
};

/** The layers, the overrides and the people who are on call as a result, with a line at the present time. */
export function Timeline(props: Props) {
  const { schedule, range, shifts, layers, overrides, nameOf, selected, onSelect, onCover } = props;
  const now = useNow();
  const places = placesOf(schedule.layers);
  const shared = { range, places, now };
  const overridden = packed([...overrides.map((each) => pieceOf(each, nameOf)), ...forwarded(shifts)]);
  return (
    <div className={classes.timeline} data-days={range.days}>
      <span className={classes.corner} />
      <div className={classes.ticks} aria-hidden>
        {ticksOf(range).map((each) => (
          <span key={each.left} style={{ left: `${each.left}%` }}>
            {each.label}
          </span>
        ))}
      </div>
      {layers.map(({ layer, shifts: turns }) => (
        <Lane
          key={layer.id ?? layer.name}
          name={layer.name}
          {...shared}
          pieces={turns.filter((each) => each.people.length > 0)}
        />
      ))}
      {overridden.map((pieces, row) => (
        <Lane key={`override ${row}`} name={row === 0 ? 'Overrides' : ''} {...shared} pieces={pieces} isOverride />
      ))}
      <FinalLane
        name={schedule.name}
        {...shared}
        shifts={shifts}
        selected={selected}
        onSelect={onSelect}
        onCover={onCover}
      />
    </div>
  );
}

function pieceOf({ startsAt, endsAt, userIds, kind }: OverrideRecord, nameOf: (id: string) => string): Piece {
  const people = userIds.map((userId) => ({ userId, name: nameOf(userId) }));
  return { startsAt, endsAt, people, prefix: { replace: '', add: 'also ', remove: 'without ' }[kind] };
}

/** The shifts that a forwarding changed, which belongs to no override of the schedule. */
function forwarded(shifts: readonly ShownShift[]): Piece[] {
  return shifts
    .map(({ startsAt, endsAt, people }) => ({
      startsAt,
      endsAt,
      people: people.filter((each) => each.origin?.kind === 'forwarding'),
    }))
    .filter((each) => each.people.length > 0);
}
