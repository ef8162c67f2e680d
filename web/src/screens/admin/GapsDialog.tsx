import { Button, Group, Stack, Text } from '@mantine/core';
import type { PersonRecord } from '@/api';
import { Modal } from '@/parts/dialogs';

export type Gaps = { userId: PersonRecord['id']; detail: string };

/** On-call schedules name a person who is disabled: their turns would have nobody. */
export function GapsDialog({
  gaps,
  onClose,
  onDisable,
}: {
  gaps: Gaps | null;
  onClose: () => void;
  onDisable: (userId: PersonRecord['id']) => void;
}) {
  return (
    <Modal opened={gaps !== null} onClose={onClose} title="Disable the account">
      {gaps && (
        <Stack>
          <Text>{gaps.detail}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button color="red" onClick={() => onDisable(gaps.userId)}>
              Disable and leave gaps
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
