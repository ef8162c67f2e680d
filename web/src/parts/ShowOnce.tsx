import { Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { CopyButton } from '@/parts/CopyButton';
import { Modal } from '@/parts/dialogs';
import styles from '@/parts/styles.module.css';

/** `copy`: the word of the button, where there are further secrets. `isEncrypted`: the service can read it later, to sign or verify with it. Of other secrets it stores a hash. */
export type Secret = { label: string; value: string; copy?: string; fileName?: string; isEncrypted?: boolean };

/**
 * A secret that the service shows once. The dialog closes by its own button alone, after the person said that it is stored.
 * The value lives in the state of the caller, never in the query cache; the caller forgets it in `onClose`.
 */
export function ShowOnce({
  title,
  secret,
  onClose,
  children,
}: {
  title: string;
  secret: Secret | null;
  onClose: () => void;
  children?: ReactNode;
}) {
  const [stored, setStored] = useState(false);
  const close = () => {
    setStored(false);
    onClose();
  };
  return (
    <Modal
      opened={secret !== null}
      onClose={close}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {secret && (
        <Stack>
          <Text>
            This is shown once. {secret.isEncrypted ? 'It is stored encrypted.' : 'Only a hash of it is stored.'} Save
            it now.
          </Text>
          <div>
            <Text size="sm" fw={600}>
              {secret.label}
            </Text>
            <Code block className={styles.verbatim} data-secret>
              {secret.value}
            </Code>
          </div>
          {children}
          <Group>
            <CopyButton value={secret.value} word={secret.copy ?? 'Copy'} />
            {secret.fileName && (
              <Button
                variant="default"
                leftSection={<Download size={15} aria-hidden />}
                onClick={() => download(secret)}
              >
                Download
              </Button>
            )}
          </Group>
          <Checkbox
            label="I have stored it"
            checked={stored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button disabled={!stored} onClick={close}>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function download(secret: Secret): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${secret.value}\n`], { type: 'text/plain' }));
  link.download = secret.fileName ?? 'secret.txt';
  link.click();
  URL.revokeObjectURL(link.href);
}
