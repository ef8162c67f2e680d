import { linkParts } from '@/lib/navigation/links';
import styles from '@/parts/styles.module.css';

/** A text of a sender as it is, with its addresses as links. */
export function LinkedText({ children }: { children: string }) {
  return linkParts(children).map(({ text, isLink }, index) =>
    isLink ? (
      <a key={index} href={text} target="_blank" rel="noreferrer noopener" className={styles.link}>
        {text}
      </a>
    ) : (
      <span key={index}>{text}</span>
    ),
  );
}
