import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { isProblem } from '@/lib/requests/problems';
import { EmptyState, SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';

type Read = { error: unknown; isPending: boolean; refetch: () => unknown };

/** In place of a record that is not there: it is being read, it is gone, or it could not be read. */
export function RecordState({
  query,
  noun,
  back,
  children,
}: {
  query: Read;
  /** As in "This source does not exist". */
  noun: string;
  /** The list of such records: its address, and the label of the button that leads to it. */
  back: { href: string; label: string };
  /** Why it may be gone. */
  children?: ReactNode;
}) {
  // The query forgets its error while the live layer reads it again; the screen must not flicker meanwhile.
  const [wasGone, setWasGone] = useState(false);
  const isGone = query.isPending ? wasGone : isProblem(query.error) && query.error.status === 404;
  if (isGone !== wasGone) setWasGone(isGone);
  if (isGone)
    return (
      <EmptyState
        isScreen
        title={`This ${noun} does not exist, or you do not have access to it`}
        action={
          <Button component={Link} href={back.href} variant="default">
            {back.label}
          </Button>
        }
      >
        {children}
      </EmptyState>
    );
  if (query.isPending) return <SkeletonRows />;
  return (
    <div className={styles.padded}>
      <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
    </div>
  );
}
