import type { SilenceRecord } from '@/api';
import { clock, useNow } from '@/lib/time/time';
import styles from '@/parts/styles.module.css';
import classes from '@/screens/silences/Week.module.css';
import { barsOf, midnights } from '@/screens/silences/weekBars';

const MOST_LANES = 20;
const MOST_NAMED = 3;

/** The next seven days: a lane for each silence, with the times in which it is active. */
export function Week({ silences }: { silences: readonly SilenceRecord[] }) {
  const now = useNow();
  const lanes = silences.filter((each) => each.periods.length > 0).slice(0, MOST_LANES);
  if (lanes.length === 0) return null;
  const days = midnights(now);
  return (
    <section className={classes.week} aria-labelledby="week">
      <h2 id="week" className={classes.heading}>
        The next seven days
      </h2>
      <div className={classes.lanes}>
        <span className={classes.corner} />
        <div className={classes.days} aria-hidden>
          {days.map((day) => (
            <span key={day.left} style={{ left: `${day.left}%` }}>
              {day.name}
            </span>
          ))}
        </div>
        {lanes.map((silence) => (
          <div key={silence.id} className={styles.contents}>
            <span className={`${classes.name} clip`} aria-hidden>
              {silence.comment}
            </span>
            <div className={classes.lane} role="img" aria-label={text(silence)} title={text(silence)}>
              {days.map((day) => (
                <i key={day.left} style={{ left: `${day.left}%` }} />
              ))}
              {barsOf(silence.periods, now).map((bar) => (
                <b key={bar.left} style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />
              ))}
            </div>
          </div>
        ))}
      </div>
      {silences.length > lanes.length && (
        <p className="soft">The list below has {silences.length - lanes.length} more.</p>
      )}
    </section>
  );
}

function text({ comment, periods }: SilenceRecord): string {
  const named = periods.slice(0, MOST_NAMED).map((each) => `${clock(each.startsAt)} to ${clock(each.endsAt)}`);
  const more = periods.length - named.length;
  return `${comment}: active ${named.join(', ')}${more > 0 ? ` and ${more} more times` : ''}`;
}
