import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Modal } from '@/parts/dialogs';

type Props = {
  word: string;
  title: string;
  children: ReactNode;
  onConfirm: () => void;
  busy?: boolean;
  label?: string;
};

/** A button for what cannot be undone: it says what follows, and asks once. */
export function ConfirmButton({ word, title, children, onConfirm, busy = false, label }: Props) {
  const [opened, dialog] = useDisclosure(false);
  const confirm = () => {
    dialog.close();
    onConfirm();
  };
  return (
    <>
      <Button variant="default" loading={busy} onClick={dialog.open} aria-label={label}>
        {word}
      </Button>
      <Modal opened={opened} onClose={dialog.close} title={title}>
        <Stack>
          <Text component="div">{children}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={dialog.close} data-autofocus>
              Cancel
            </Button>
            <Button color="red" onClick={confirm}>
              {word}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
