import { Button, Group, Popover, Textarea } from '@mantine/core';
import { MessageSquarePlus } from 'lucide-react';
import { useState } from 'react';
import type { Act } from '@/lib/incidents/act';
import { Modal } from '@/parts/dialogs';

const LONGEST = 10_000;

type Props = {
  disabled: boolean;
  acts: readonly ('acknowledge' | 'resolve')[];
  /** Answers whether the act was done. The note of one that failed stays. */
  onAct: (act: Act) => Promise<boolean>;
};

const LABEL = { acknowledge: 'Acknowledge', resolve: 'Resolve' };

/** A note and an act in one step: the timeline has both, and destinations get one notice. */
export function NotedAct({ compact = false, ...props }: Props & { compact?: boolean }) {
  const [opened, setOpened] = useState(false);
  const form = useNoted(props, () => setOpened(false));
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      width={320}
      position="top"
      withArrow
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          size={compact ? 'compact-md' : 'sm'}
          mih="var(--target)"
          variant="default"
          disabled={props.disabled}
          leftSection={<MessageSquarePlus size={compact ? 15 : 16} aria-hidden />}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          Respond with note
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{form}</Popover.Dropdown>
    </Popover>
  );
}

/** The same as a dialog, for phones. */
export function NotedActDialog({ opened, onClose, ...props }: Props & { opened: boolean; onClose: () => void }) {
  const form = useNoted(props, onClose);
  return (
    <Modal opened={opened} onClose={onClose} title="Respond with note">
      {form}
    </Modal>
  );
}

/** The form. Its text stays while it is closed. */
function useNoted({ disabled, acts, onAct }: Props, onSend: () => void) {
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
