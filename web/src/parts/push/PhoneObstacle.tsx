import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { below } from '@/lib/navigation/base';
import { phoneObstacle } from '@/parts/push/reach';
import styles from '@/parts/styles.module.css';

/** Says that phones cannot use this instance at its address, before somebody scans a code that leads nowhere. */
export function PhoneObstacle() {
  const info = useQuery(infoReadOptions()).data;
  // The pages of problems lie below the base URL.
  const obstacle = info ? phoneObstacle(info.problemsUrl) : null;
  if (obstacle === null) return null;
  return (
    <p className={`${styles.small} ${styles.warning} ${styles.flat}`}>
      {obstacle}
      <Anchor
        href={below('/docs/destinations/web_push')}
        target="_blank"
        rel="noreferrer"
        size="sm"
        underline="always"
        display="block"
        className={styles.inlineTarget}
      >
        How phones connect
      </Anchor>
    </p>
  );
}
