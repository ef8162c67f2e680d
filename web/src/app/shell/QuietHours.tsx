import { Text } from '@mantine/core';
import { Moon } from 'lucide-react';
import { useEffect } from 'react';
import type { WorkspaceRecord } from '@/api';
import { refresh } from '@/lib/requests/refresh';
import { localText } from '@/lib/time/localText';
import { isOver } from '@/lib/time/quietHours';
import classes from '@/app/shell/Shell.module.css';

const CHECK_MS = 60_000;

/** A moon in the header while quiet hours hold notices. The service decides; the page asks again once a time has passed. */
export function QuietHours({ quiet }: { quiet: WorkspaceRecord['quiet'] | undefined }) {
  useEffect(() => {
    const timer = setInterval(() => {
      if (quiet && isOver(quiet, Date.now())) void refresh('workspacesList');
    }, CHECK_MS);
    return () => clearInterval(timer);
  }, [quiet]);
  if (!quiet?.now) return null;
  return (
    <span
      role="img"
      aria-label={localText(quiet.text)}
      title={localText(quiet.text)}
      tabIndex={0}
      className={classes.quiet}
    >
      <Moon size={16} aria-hidden />
      <Text size="sm" component="span" visibleFrom="md" aria-hidden>
        Quiet hours
      </Text>
    </span>
  );
}
