import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useLeaveGuard } from '@/lib/navigation/leaveGuard';
import { Modal } from '@/parts/dialogs';

/** Asks before unsaved work is left. */
export function LeaveGuard({ isUnsaved }: { isUnsaved: boolean }) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useLeaveGuard(isUnsaved, (go) => setLeave(() => go));
  const stay = () => setLeave(null);
  return (
    <Modal opened={leave !== null} onClose={stay} title="Leave without saving?">
      <Text size="sm">Your changes on this page are not saved.</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" mih="var(--target)" onClick={() => leave?.()}>
          Discard changes
        </Button>
        <Button mih="var(--target)" data-autofocus onClick={stay}>
          Keep editing
        </Button>
      </Group>
    </Modal>
  );
}
