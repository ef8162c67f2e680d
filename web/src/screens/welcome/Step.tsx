import { Title } from '@mantine/core';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from '@/screens/welcome/Welcome.module.css';

/** One step with its number, or a tick when the data says that it is done. */
export function Step({
  number,
  title,
  isDone,
  isCurrent,
  children,
}: {
  number: number;
  title: string;
  isDone: boolean;
  isCurrent: boolean;
  children: ReactNode;
}) {
  return (
    <li className={classes.step} data-done={isDone || undefined} data-current={isCurrent || undefined}>
      <span className={classes.mark} aria-hidden>
        {isDone ? <Check size={16} strokeWidth={2.5} /> : number}
      </span>
      <Title order={2} className={classes.title} mb={4}>
        {title}
        {isDone && <span className={classes.done}>Done</span>}
      </Title>
      {children}
    </li>
  );
}

/** A line that says what the page waits for. It changes by itself. */
export function WaitingFor({ children }: { children: ReactNode }) {
  return (
    <div className={classes.waiting}>
      <span className={classes.pulse} aria-hidden />
      <span>{children}</span>
    </div>
  );
}
