import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { isProblem, message } from '@/lib/requests/problems';

const CLOSE = { 'aria-label': 'Dismiss' };
const UNDO_SECONDS = 8;

/** The act that `z` reverts; the newest one. */
let lastUndo: (() => void) | null = null;

/** Shows a message in place of the one before: one at a time, so that they hide little of the page. */
function show(toast: { message: ReactNode; color?: string; autoClose: number | false }): string {
  notifications.clean();
  return notifications.show({ ...toast, closeButtonProps: CLOSE });
}

export function say(text: string): void {
  show({ message: text, autoClose: 4000 });
}

/** The finished act, with an undo button. Both disappear in time, also under the pointer: the undo expires. */
export function sayWithUndo(text: string, undo: () => void): void {
  const run = () => {
    notifications.hide(id);
    if (lastUndo === run) lastUndo = null;
    undo();
  };
  lastUndo = run;
  setTimeout(() => {
    notifications.hide(id);
    if (lastUndo === run) lastUndo = null;
  }, UNDO_SECONDS * 1000);
  const body = (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{text}</Text>
      <Button size="compact-sm" variant="default" mih="var(--target)" onClick={run}>
        Undo
      </Button>
    </Group>
  );
  const id = show({ message: body, autoClose: false });
}

export function undoLast(): void {
  if (lastUndo) lastUndo();
  else say('Nothing to undo.');
}

export function sayFault(fault: unknown): void {
  const request = isProblem(fault) && fault.status >= 500 ? ` Request ${fault.requestId}.` : '';
  show({ color: 'red', message: message(fault) + request, autoClose: 8000 });
}
