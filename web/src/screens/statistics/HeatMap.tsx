import type { StatisticsRecord } from '@/api';
import { english } from '@/lib/time/time';
import classes from '@/screens/statistics/Statistics.module.css';

const MONDAY = Date.UTC(2026, 0, 5);
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** New incidents by weekday and hour: a table whose cells are coloured by their numbers. */
export function HeatMap({ statistics }: { statistics: StatisticsRecord }) {
  const most = Math.max(1, ...statistics.heatMap.flat());
  return (
    <section aria-labelledby="heat" className={classes.wide}>
      <h2 id="heat" className={classes.heading}>
        New incidents by weekday and hour
      </h2>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="Weekdays and hours as a table">
        <table className={classes.heat}>
          <thead>
            <tr>
              <th scope="col">
                <span className="only-for-readers">Weekday</span>
              </th>
              {HOURS.map((hour) => (
                <th key={hour} scope="col">
                  {hour}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {statistics.heatMap.map((hours, day) => (
              <tr key={day}>
                <th scope="row">{weekday(day)}</th>
                {hours.map((count, hour) => (
                  <td
                    key={hour}
                    title={`${weekday(day)}, ${hour}:00: ${count.toLocaleString()}`}
                    style={{ background: colour(count / most) }}
                  >
                    <span className="only-for-readers">{count}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={classes.note}>
        Darkest = {most.toLocaleString()}. Time zone: {statistics.timezone}.
      </p>
    </section>
  );
}

function weekday(day: number): string {
  const at = new Date(MONDAY + day * 86_400_000);
  return new Intl.DateTimeFormat(english(), { weekday: 'short', timeZone: 'UTC' }).format(at);
}

function colour(share: number): string {
  if (share === 0) return 'var(--ground-soft)';
  return `color-mix(in srgb, var(--focus) ${Math.round(15 + share * 85)}%, var(--ground-soft))`;
}
