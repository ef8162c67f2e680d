import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from '@/screens/pair/Pair.module.css';

/** One of the steps after pairing: its number, or that it is done. */
export function Step(of: { number: number; title: string; isDone: boolean; children: ReactNode }) {
  return (
    <li className={classes.step}>
      <span className={classes.mark} data-done={of.isDone || undefined} aria-hidden>
        {of.isDone ? <Check size={14} strokeWidth={3} /> : of.number}
      </span>
      <div className={classes.stepBody}>
        <h2 className={classes.stepTitle}>
          {of.title}
          {of.isDone && <span className="only-for-readers"> (done)</span>}
        </h2>
        {of.children}
      </div>
    </li>
  );
}
