import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from '@/screens/wall/Wall.module.css';

/** The face of the wall display without an incident. */
export function AllQuiet({ children }: { children?: ReactNode }) {
  return (
    <div className={classes.quiet}>
      <CircleCheck size="1.6em" strokeWidth={1.5} aria-hidden />
      All quiet
      <small>No incident is open or acknowledged.{children}</small>
    </div>
  );
}
