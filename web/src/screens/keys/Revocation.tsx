import { Alert, Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { keysRevoke, type KeyRecord } from '@/api';
import { message } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { Modal } from '@/parts/dialogs';
import { say } from '@/parts/toast';

const SHOWN = 8;

/** Revokes several keys, one after the other. More than one asks for their number, because nothing brings them back. */
export function Revocation({
  keys,
  onClose,
  onRevoked,
}: {
  keys: KeyRecord[];
  onClose: () => void;
  onRevoked: (ids: KeyRecord['id'][]) => void;
}) {
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    revoke.reset();
    onClose();
  };
  const revoke = useMutation({
    mutationFn: async (chosen: KeyRecord[]) => {
      const done: KeyRecord['id'][] = [];
      try {
        for (const key of chosen) {
          await keysRevoke({ path: { source_id: key.sourceId, key_id: key.id }, throwOnError: true });
          done.push(key.id);
        }
      } finally {
        if (done.length > 0) {
          onRevoked(done);
          void refresh('keysList', 'keysOfSource');
        }
      }
    },
    onSuccess: (_, chosen) => {
      say(chosen.length === 1 ? 'The key is revoked.' : `${chosen.length} keys are revoked.`);
      close();
    },
  });
  const isMany = keys.length > 1;
  return (
    <Modal
      opened={keys.length > 0}
      onClose={close}
      title={isMany ? `Revoke ${keys.length} keys` : 'Revoke the key'}
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          revoke.mutate(keys);
        }}
      >
        <Stack gap="xs">
          <Text>They stop working immediately. There is no grace period, and this cannot be undone.</Text>
          <KeyNames keys={keys} />
          {isMany && (
            <TextInput
              label={`Type ${keys.length} to confirm`}
              inputMode="numeric"
              autoComplete="off"
              data-autofocus
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          {revoke.error && (
            <Alert color="red" variant="outline">
              {message(revoke.error)} The others are not revoked.
            </Alert>
          )}
          <Answers close={close} revoke={revoke} isMany={isMany} typed={typed} keys={keys} />
        </Stack>
      </form>
    </Modal>
  );
}

type KeyNamesProps = {
  keys: KeyRecord[];
};

function KeyNames({ keys }: KeyNamesProps) {
  return (
    <List size="sm">
      {keys.slice(0, SHOWN).map((key) => (
        <List.Item key={key.id}>
          {key.name || 'Key'} <span className="mono">…{key.hint}</span>
        </List.Item>
      ))}
      {keys.length > SHOWN && <List.Item>{keys.length - SHOWN} more</List.Item>}
    </List>
  );
}

type AnswersProps = {
  close: () => void;
  revoke: { isPending: boolean };
  isMany: boolean;
  typed: string;
  keys: KeyRecord[];
};

function Answers({ close, revoke, isMany, typed, keys }: AnswersProps) {
  return (
    <Group justify="flex-end" mt="sm">
      <Button variant="default" onClick={close}>
        Cancel
      </Button>
      <Button
        type="submit"
        color="red"
        loading={revoke.isPending}
        disabled={isMany && typed.trim() !== String(keys.length)}
      >
        Revoke
      </Button>
    </Group>
  );
}
