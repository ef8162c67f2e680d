import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { isProblem, message } from '@/lib/requests/problems';

const CLOSE = { 'aria-label': 'Dismiss' };
const UNDO_SECONDS = 8;

/** The act that `z` reverts; the newest one. */
let lastUndo: (() => void) | null = null;

export function say(text: string): void {
  notifications.show({ message: text, autoClose: 4000, closeButtonProps: CLOSE });
}

/** The finished act, with an undo button. Both disappear in time, also under the pointer: the undo expires. */
export function sayWithUndo(text: string, undo: () => void): void {
  const id = `undo-${crypto.randomUUID?.() ?? Math.random()}`;
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
      <Button size="compact-sm" variant="default" onClick={run}>
        Undo
      </Button>
    </Group>
  );
  notifications.show({ id, message: body, autoClose: false, closeButtonProps: CLOSE });
}

export function undoLast(): void {
  if (lastUndo) lastUndo();
  else say('Nothing to undo.');
}

export function sayFault(fault: unknown): void {
  const request = isProblem(fault) && fault.status >= 500 ? ` Request ${fault.requestId}.` : '';
  notifications.show({ color: 'red', message: message(fault) + request, autoClose: 8000, closeButtonProps: CLOSE });
}
