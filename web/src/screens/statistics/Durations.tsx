import type { StatisticsRecord } from '@/api';
import { duration } from '@/lib/time/time';
import { label } from '@/screens/statistics/buckets';
import { Figure } from '@/screens/statistics/Figure';
import classes from '@/screens/statistics/Statistics.module.css';

const WIDTH = 600;
const HEIGHT = 160;
const LINES = [
  { name: 'timeToAcknowledge', word: 'Median time to acknowledge', colour: 'var(--state-acknowledged)', dash: '' },
  { name: 'timeToResolve', word: 'Median time to resolve', colour: 'var(--state-resolved)', dash: '6 4' },
] as const;

/** The median times to acknowledge and to resolve, by the bucket in which incidents were first seen. */
export function Durations({ statistics }: { statistics: StatisticsRecord }) {
  const { buckets } = statistics;
  const most = Math.max(1, ...buckets.flatMap((each) => LINES.map(({ name }) => each[name].medianSeconds ?? 0)));
  const x = (index: number) => ((index + 0.5) / buckets.length) * WIDTH;
  const y = (seconds: number) => HEIGHT - (seconds / most) * (HEIGHT - 8);
  const step = Math.max(1, Math.ceil(buckets.length / 6));
  return (
    <Figure
      title={`Time to acknowledge and to resolve by ${statistics.bucket}`}
      isWide
      head={['Start', ...LINES.flatMap(({ word }) => [word, `${word}: incidents`])]}
      rows={buckets.map((each) => [
        label(each.start, statistics),
        ...LINES.flatMap(({ name }) => [durationText(each[name].medianSeconds), each[name].n]),
      ])}
    >
      <div className={classes.lines}>
        <span className={`${classes.most} numbers`}>{duration(most)}</span>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`The longest median is ${duration(most)}. Select Table to see all numbers.`}
        >
          {LINES.map(({ name, colour, dash }) => {
            const points = buckets.flatMap((each, index) => {
              const seconds = each[name].medianSeconds;
              return seconds === null ? [] : [`${x(index)},${y(seconds)}`];
            });
            return (
              <polyline
                key={name}
                points={points.join(' ')}
                stroke={colour}
                fill="none"
                strokeWidth="2"
                strokeDasharray={dash}
                vectorEffect="non-scaling-stroke"
              />
            );
          })}
        </svg>
        <div className={classes.dots} aria-hidden>
          {LINES.map(({ name, colour }) =>
            buckets.map((each, index) => {
              const seconds = each[name].medianSeconds;
              if (seconds === null) return null;
              const left = `${(x(index) / WIDTH) * 100}%`;
              const top = `${(y(seconds) / HEIGHT) * 100}%`;
              return <span key={`${name} ${each.start}`} style={{ left, top, background: colour }} />;
            }),
          )}
        </div>
      </div>
      <div className={classes.axis} aria-hidden>
        {buckets.map((each, index) => (
          <span key={each.start}>{index % step === 0 ? label(each.start, statistics) : ''}</span>
        ))}
      </div>
      <ul className={classes.legend}>
        {LINES.map(({ name, word, colour, dash }) => (
          <li key={name}>
            <svg width="24" height="8" aria-hidden>
              <path d="M0 4h24" stroke={colour} strokeWidth="2" strokeDasharray={dash} />
            </svg>
            {word}
          </li>
        ))}
      </ul>
    </Figure>
  );
}

function durationText(seconds: number | null): string {
  return seconds === null ? '–' : duration(seconds);
}
