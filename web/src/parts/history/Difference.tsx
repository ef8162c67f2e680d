import { wordDiff } from '@/parts/history/wordDiff';
import styles from '@/parts/styles.module.css';

/** A text with what differs from the text before it. */
export function Difference({ before, after }: { before: string | null; after: string }) {
  const pieces = before === null ? [{ kind: 'same' as const, text: after }] : wordDiff(before, after);
  return pieces.map(({ kind, text }, index) => {
    if (kind === 'removed')
      return (
        <del key={index} className={styles.critical}>
          {text}
        </del>
      );
    if (kind === 'added')
      return (
        <ins key={index} className={styles.added}>
          {text}
        </ins>
      );
    return <span key={index}>{text}</span>;
  });
}
