import { Anchor } from '@mantine/core';
import { ArrowLeft } from 'lucide-react';
import { Link } from 'wouter';
import styles from '@/parts/styles.module.css';

type Props = {
  href: string;
  label: string;
  /** Whether the title follows closely. */
  near?: boolean;
};

/** The way back to the list, above the title of a record. */
export function BackLink({ href, label, near = false }: Props) {
  return (
    <div className={near ? styles.topNear : styles.top}>
      <Anchor component={Link} href={href} size="sm" className={styles.action}>
        <ArrowLeft size={15} aria-hidden /> {label}
      </Anchor>
    </div>
  );
}
