import { Button, Group, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Modal } from '@/parts/dialogs';
import styles from '@/parts/styles.module.css';

export type DeleteProps = {
  /** "rule": for the button. */
  noun: string;
  name: string;
  isDeleting: boolean;
  onDelete: () => void;
  /** Whether the person types the name first, because much is lost. */
  mustTypeName?: boolean;
  /** What follows from the deletion. It is mounted when the person is asked. */
  children: ReactNode;
};

/** Deletes a record after a question that says what follows. */
export function DeleteButton(props: DeleteProps) {
  const { noun, name, isDeleting, onDelete, mustTypeName = false, children } = props;
  const [isConfirming, setIsConfirming] = useState(false);
  const [typed, setTyped] = useState('');
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
        <form
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation(); // the question may be asked within the form of the record
            onDelete();
          }}
        >
          {children}
          {mustTypeName && (
            <TextInput
              mt="xs"
              label={`Type the name ${name} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={() => setIsConfirming(false)}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={isDeleting} disabled={mustTypeName && typed.trim() !== name}>
              {label}
            </Button>
          </Group>
        </form>
      </Modal>
    </>
  );
}
