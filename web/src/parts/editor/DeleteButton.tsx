import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Modal } from '@/parts/dialogs';
import styles from '@/parts/styles.module.css';

type Props = {
  /** "rule": for the button. */
  noun: string;
  name: string;
  isDeleting: boolean;
  onDelete: () => void;
  /** What follows from the deletion. */
  children: ReactNode;
};

/** Deletes a record after a question that says what follows. */
export function DeleteButton({ noun, name, isDeleting, onDelete, children }: Props) {
  const [isConfirming, setIsConfirming] = useState(false);
  const label = `Delete the ${noun}`;
  return (
    <>
      <Button
        variant="outline"
        color="red"
        mih="var(--target)"
        onClick={() => setIsConfirming(true)}
        classNames={{ label: styles.critical }}
      >
        {label}
      </Button>
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title={`Delete ${name}?`}>
        {children}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setIsConfirming(false)}>
            Keep it
          </Button>
          <Button color="red" loading={isDeleting} onClick={onDelete}>
            {label}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
