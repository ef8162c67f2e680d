import { Button, Group, Popover, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Act } from '@/lib/incidents/act';
import { Modal } from '@/parts/dialogs';
import { Anchor } from '@/parts/menu/Anchor';
import { useMounted } from '@/parts/useMounted';

const LONGEST = 10_000;
const LABEL = { acknowledge: 'Acknowledge', resolve: 'Resolve' };

export type NotedProps = {
  disabled: boolean;
  acts: readonly ('acknowledge' | 'resolve')[];
  /** Answers whether the act was done. The note of one that failed stays. */
  onAct: (act: Act) => Promise<boolean>;
};
type Opened = { opened: boolean; onClose: () => void };

/** The form beside its button. */
export function NotedPopover({
  opened,
  onClose,
  button,
  ...props
}: NotedProps & Opened & { button: HTMLElement | null }) {
  const form = useNoted(props, onClose);
  const isMounted = useMounted();
  return (
    <Popover
      opened={opened && isMounted}
      onChange={(isOpen) => !isOpen && onClose()}
      width={320}
      position="top"
      withArrow
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Anchor button={button} />
      </Popover.Target>
      <Popover.Dropdown>{form}</Popover.Dropdown>
    </Popover>
  );
}

/** The form as a dialog, for phones. */
export function NotedDialog({ opened, onClose, ...props }: NotedProps & Opened) {
  const form = useNoted(props, onClose);
  return (
    <Modal opened={opened} onClose={onClose} title="Respond with note">
      {form}
    </Modal>
  );
}

/** The form. Its text stays while it is closed. */
function useNoted({ disabled, acts, onAct }: NotedProps, onSend: () => void) {
  const [text, setText] = useState('');
  const note = text.trim();
  const run = async (action: (typeof acts)[number]) => {
    onSend();
    if (await onAct({ action, note })) setText('');
  };
  return (
    <>
      <Textarea
        label="Note"
        description="For the timeline. It is not sent to destinations."
        autosize
        minRows={2}
        maxRows={6}
        maxLength={LONGEST}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="xs" mt="xs" justify="flex-end">
        {acts.map((action, index) => (
          <Button
            key={action}
            size="compact-md"
            mih="var(--target)"
            variant={index === acts.length - 1 ? 'filled' : 'default'}
            disabled={disabled || note === ''}
            onClick={() => void run(action)}
          >
            {LABEL[action]} with note
          </Button>
        ))}
      </Group>
    </>
  );
}
