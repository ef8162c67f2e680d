import { type KeyboardEvent, useId } from 'react';
import { BlockText } from '@/screens/on-call/BlockText';
import { colourOf } from '@/screens/on-call/colours';
import { type LaneProps, Lines } from '@/screens/on-call/Lane';
import type { ShownShift } from '@/screens/on-call/past';
import { placeOf } from '@/screens/on-call/range';
import classes from '@/screens/on-call/Timeline.module.css';
import { peopleText, periodText } from '@/screens/on-call/words';

type Props = LaneProps & {
  shifts: readonly ShownShift[];
  /** The start of the selected shift. */
  selected: string | null;
  onSelect: (startsAt: string) => void;
  onCover: (shift: ShownShift) => void;
};

/** The people who are on call. Arrow keys move from shift to shift, Enter covers. */
export function FinalLane({ name, range, places, now, shifts, selected, onSelect, onCover }: Props) {
  const id = useId();
  const at = shifts.findIndex((each) => each.startsAt === selected);
  const move = (place: number) => {
    const next = shifts[Math.min(Math.max(place, 0), shifts.length - 1)];
    if (next) onSelect(next.startsAt);
  };
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at < 0 ? shifts.length - 1 : at - 1,
      ArrowUp: at < 0 ? shifts.length - 1 : at - 1,
      Home: 0,
      End: shifts.length - 1,
    };
    const step = steps[event.key];
    if (step !== undefined) move(step);
    else if (event.key === 'Enter' && shifts[at]) onCover(shifts[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <span className={`${classes.name} ${classes.final} clip`} aria-hidden title={name}>
        On call
      </span>
      <div
        className={`${classes.lane} ${classes.finalLane}`}
        role="listbox"
        tabIndex={0}
        aria-label={`Shifts of ${name}. Arrow keys move, Enter covers.`}
        aria-orientation="horizontal"
        aria-activedescendant={at < 0 ? undefined : `${id} ${at}`.replaceAll(' ', '-')}
        onKeyDown={onKey}
      >
        <Lines range={range} now={now} />
        {shifts.map((shift, index) => (
          <span
            key={shift.startsAt}
            id={`${id} ${index}`.replaceAll(' ', '-')}
            role="option"
            aria-selected={index === at}
            className={classes.block}
            data-gap={shift.people.length === 0 || undefined}
            style={styleOf(shift, range, places)}
            title={`${peopleText(shift.people)}, ${periodText(shift)}`}
            onClick={() => onSelect(shift.startsAt)}
          >
            <span className="only-for-readers">
              {peopleText(shift.people)}, {periodText(shift)}
            </span>
            <BlockText people={shift.people} />
          </span>
        ))}
      </div>
    </>
  );
}

function styleOf(shift: ShownShift, range: Props['range'], places: Props['places']) {
  const { left, width } = placeOf(shift, range)!;
  return { left: `${left}%`, width: `${width}%`, ...colourOf(shift.people[0]?.userId, places) };
}
