import { Link } from 'wouter';
import { tokenOf } from '@/lib/incidents/search';
import { useWorkspace } from '@/lib/session/workspace';
import styles from '@/parts/styles.module.css';

/** A value that leads to all incidents with it. A quotation mark cannot be searched. */
export function SameValue({ filter, value }: { filter: 'resource' | 'type'; value: string }) {
  const { href } = useWorkspace();
  if (value.includes('"')) return value;
  const query = new URLSearchParams({ state: 'all', q: tokenOf(filter, value) });
  return (
    <Link href={href(`inbox?${query.toString()}`)} className={styles.link} title={`All incidents with this ${filter}`}>
      {value}
    </Link>
  );
}
