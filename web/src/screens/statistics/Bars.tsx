import type { StatisticsRecord } from '@/api';
import { label, type Series, sum } from '@/screens/statistics/buckets';
import { Figure } from '@/screens/statistics/Figure';
import classes from '@/screens/statistics/Statistics.module.css';

type Props = {
  title: string;
  statistics: StatisticsRecord;
  series: Series[];
  /** The counted unit, for the text of the chart: "events". */
  noun: string;
  isWide?: boolean;
};

/** Numbers by time as stacked bars; the first series is on top. */
export function Bars({ title, statistics, series, noun, isWide }: Props) {
  const { buckets, bucket } = statistics;
  const shown = series.filter((each) => buckets.some((one) => each.of(one) > 0));
  const totals = buckets.map((one) => sum(series.map((each) => each.of(one))));
  const most = Math.max(1, ...totals);
  const step = Math.max(1, Math.ceil(buckets.length / 6));
  const text = `${sum(totals).toLocaleString()} ${noun}, at most ${Math.max(0, ...totals).toLocaleString()} in one ${bucket}.`;
  return (
    <Figure
      title={title}
      isWide={isWide}
      head={['Start', 'All', ...shown.map((each) => each.label)]}
      rows={buckets.map((one, index) => [
        label(one.start, statistics),
        totals[index] ?? 0,
        ...shown.map((each) => each.of(one)),
      ])}
    >
      <div className={classes.chart} role="img" aria-label={`${text} Select Table to see all numbers.`}>
        <span className={`${classes.most} numbers`}>{most.toLocaleString()}</span>
        {buckets.map((one, index) => (
          <div
            key={one.start}
            className={classes.bar}
            title={`${label(one.start, statistics)}: ${totals[index]?.toLocaleString()}`}
          >
            {shown.map(
              (each) =>
                each.of(one) > 0 && (
                  <span key={each.key} style={{ height: `${(each.of(one) / most) * 100}%`, background: each.colour }} />
                ),
            )}
          </div>
        ))}
      </div>
      <div className={classes.axis} aria-hidden>
        {buckets.map((one, index) => (
          <span key={one.start}>{index % step === 0 ? label(one.start, statistics) : ''}</span>
        ))}
      </div>
      {series.length > 1 && (
        <ul className={classes.legend}>
          {shown.map((each) => (
            <li key={each.key}>
              <span className={classes.swatch} style={{ background: each.colour }} /> {each.label}
            </li>
          ))}
        </ul>
      )}
    </Figure>
  );
}

/** The share of the largest row. */
export function Meter({ share }: { share: number }) {
  return (
    <span className={classes.meter} aria-hidden>
      <span style={{ width: `${Math.max(1, share * 100)}%` }} />
    </span>
  );
}
