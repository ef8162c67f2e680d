import { sparklineText } from '@/parts/sparklineText';
import styles from '@/parts/styles.module.css';

const WIDTH = 96;
const HEIGHT = 20;

/** The events of the last hours as small bars, the present hour last. Nothing is drawn before the counts are there. */
export function Sparkline({ counts }: { counts: readonly number[] | undefined }) {
  if (!counts) return <span className={styles.block} style={{ height: HEIGHT }} />;
  const most = Math.max(1, ...counts);
  const step = WIDTH / counts.length;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={sparklineText(counts)}
      className={styles.block}
    >
      <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} stroke="var(--line)" />
      {counts.map((count, hour) => {
        const height = count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT);
        return (
          <rect
            key={hour}
            x={hour * step + 0.5}
            y={HEIGHT - height}
            width={step - 1}
            height={height}
            fill="var(--focus)"
          />
        );
      })}
    </svg>
  );
}
