import { Button } from '@mantine/core';
import { MessageSquarePlus } from 'lucide-react';
import { lazy, useState } from 'react';
import { Later } from '@/parts/Later';
import type { NotedProps } from '@/parts/NotedForms';

const load = () => import('@/parts/NotedForms');
const NotedPopover = lazy(async () => ({ default: (await load()).NotedPopover }));
const NotedDialog = lazy(async () => ({ default: (await load()).NotedDialog }));

/** A note and an act in one step: the timeline has both, and destinations get one notice. */
export function NotedAct({ compact = false, ...props }: NotedProps & { compact?: boolean }) {
  const [opened, setOpened] = useState(false);
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  return (
    <>
      <Button
        ref={setButton}
        size={compact ? 'compact-md' : 'sm'}
        mih="var(--target)"
        variant="default"
        disabled={props.disabled}
        leftSection={<MessageSquarePlus size={compact ? 15 : 16} aria-hidden />}
        aria-haspopup="dialog"
        aria-expanded={opened}
        onPointerEnter={() => void load().catch(() => undefined)}
        onClick={() => setOpened(!opened)}
      >
        Respond with note
      </Button>
      <Later opened={opened}>
        <NotedPopover {...props} opened={opened} onClose={() => setOpened(false)} button={button} />
      </Later>
    </>
  );
}

/** The same as a dialog, for phones. */
export function NotedActDialog(props: NotedProps & { opened: boolean; onClose: () => void }) {
  return (
    <Later opened={props.opened}>
      <NotedDialog {...props} />
    </Later>
  );
}
