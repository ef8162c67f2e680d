import { BlockText } from '@/screens/on-call/BlockText';
import { colourOf } from '@/screens/on-call/colours';
import { percentOf, placeOf, type Period, type Range, ticksOf } from '@/screens/on-call/range';
import classes from '@/screens/on-call/Timeline.module.css';
import { peopleText, periodText } from '@/screens/on-call/words';

export type Piece = Period & { people: readonly { userId: string; name: string }[]; prefix?: string };

export type LaneProps = { name: string; range: Range; places: ReadonlyMap<string, number>; now: number };

const MOST_SAID = 3;

/** A row of the timeline that is only looked at: the turns of a layer, or overrides. */
export function Lane(props: LaneProps & { pieces: readonly Piece[]; isOverride?: boolean }) {
  const { name, range, places, now, pieces, isOverride = false } = props;
  const shown = pieces.filter((each) => placeOf(each, range) !== null);
  return (
    <>
      <span className={`${classes.name} clip`} aria-hidden title={name}>
        {name}
      </span>
      <div
        className={classes.lane}
        role="img"
        aria-label={laneText(name, shown)}
        data-override={isOverride || undefined}
      >
        <Lines range={range} now={now} />
        {shown.map((piece) => (
          <Block key={`${piece.startsAt} ${piece.endsAt}`} piece={piece} range={range} places={places} />
        ))}
      </div>
    </>
  );
}

/** The days, and the present time. */
export function Lines({ range, now }: Pick<LaneProps, 'range' | 'now'>) {
  const left = percentOf(now, range);
  return (
    <>
      {ticksOf(range).map((each) => (
        <i key={each.left} className={classes.day} style={{ left: `${each.left}%` }} aria-hidden />
      ))}
      {left >= 0 && left <= 100 && <i className={classes.now} style={{ left: `${left}%` }} aria-hidden />}
    </>
  );
}

type BlockProps = Pick<LaneProps, 'range' | 'places'> & { piece: Piece };

function Block({ piece, range, places }: BlockProps) {
  const { left, width } = placeOf(piece, range)!;
  const text = `${piece.prefix ?? ''}${peopleText(piece.people)}`;
  return (
    <span
      className={classes.block}
      data-gap={piece.people.length === 0 || undefined}
      style={{ left: `${left}%`, width: `${width}%`, ...colourOf(piece.people[0]?.userId, places) }}
      title={`${text}, ${periodText(piece)}`}
    >
      <BlockText people={piece.people} prefix={piece.prefix} />
    </span>
  );
}

function laneText(name: string, pieces: readonly Piece[]): string {
  const said = pieces.slice(0, MOST_SAID).map((each) => `${peopleText(each.people)} ${periodText(each)}`);
  const more = pieces.length - said.length;
  return `${name || 'Overrides'}: ${said.join('; ') || 'nobody'}${more > 0 ? `; and ${more} more` : ''}`;
}
