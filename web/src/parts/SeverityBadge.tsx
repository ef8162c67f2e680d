import { SEVERITY_WORD, type Severity } from '@/lib/words/words';
import styles from '@/parts/styles.module.css';

const COLOUR: Record<Severity, string> = {
  CRITICAL: 'var(--severity-critical)',
  ERROR: 'var(--severity-error)',
  WARNING: 'var(--severity-warning)',
  INFO: 'var(--severity-info)',
  SUCCESS: 'var(--severity-success)',
  DEBUG: 'var(--severity-debug)',
};

/** Each severity has a different shape, so that colour is never the only sign. */
const SHAPE: Record<Severity, React.ReactNode> = {
  CRITICAL: <path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z" />,
  ERROR: <path d="M8 1.2 15.4 14.5H.6z" />,
  WARNING: <path d="M8 .8 15.2 8 8 15.2.8 8z" />,
  INFO: <circle cx="8" cy="8" r="6.8" />,
  SUCCESS: (
    <path
      d="m2 8.6 4 4 8-8.8"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
  DEBUG: <circle cx="8" cy="8" r="3.2" />,
};

export function severityColour(severity: Severity): string {
  return COLOUR[severity];
}

export function SeverityIcon({ severity, size = 14 }: { severity: Severity; size?: number }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="currentColor"
      className={styles.rigid}
      style={{ color: COLOUR[severity] }}
      aria-hidden
    >
      {SHAPE[severity]}
    </svg>
  );
}

/** Icon, word and colour of a severity. */
export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <span className={styles.badge} style={{ color: COLOUR[severity] }}>
      <SeverityIcon severity={severity} />
      {SEVERITY_WORD[severity]}
    </span>
  );
}
