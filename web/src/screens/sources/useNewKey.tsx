import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { keysCreateMutation, keysRotateMutation } from '@/api/@tanstack/react-query.gen';
import type { KeyRecord, SourceRecord } from '@/api';
import { refresh } from '@/lib/refresh';
import { ShowOnce } from '@/parts/ShowOnce';
import { sayFault } from '@/parts/toast';

/** Creates or rotates a key and shows the new one once. `dialog` belongs at the end of the caller's markup. */
export function useNewKey(source: SourceRecord, onSecret: (secret: string) => void) {
  const [shown, setShown] = useState<{ value: string; isRotated: boolean } | null>(null);
  const create = useMutation({ ...keysCreateMutation(), gcTime: 0, onError: sayFault });
  const rotate = useMutation({ ...keysRotateMutation(), gcTime: 0, onError: sayFault });
  const show = (secret: string, isRotated: boolean) => {
    setShown({ value: secret, isRotated });
    onSecret(secret);
    create.reset();
    rotate.reset();
    void refresh('keysOfSource', 'keysList');
  };
  const path = { source_id: source.id };
  const dialog = (
    <ShowOnce
      title={shown?.isRotated ? 'New key' : `Key of ${source.name}`}
      onClose={() => setShown(null)}
      secret={shown && { label: 'INBOX_KEY', value: shown.value, fileName: 'inbox.key' }}
    >
      {shown?.isRotated && (
        <Text size="sm">The old key works for 24 hours more. Change your senders within that time.</Text>
      )}
    </ShowOnce>
  );
  return {
    create: (name: string, done?: () => void) =>
      create.mutate(
        { path, body: name ? { name } : {} },
        {
          onSuccess: (key) => {
            done?.();
            show(key.secret, false);
          },
        },
      ),
    rotate: (key: KeyRecord, done?: () => void) =>
      rotate.mutate(
        { path: { ...path, key_id: key.id } },
        {
          onSuccess: (made) => {
            done?.();
            show(made.secret, true);
          },
        },
      ),
    isPending: create.isPending || rotate.isPending,
    dialog,
  };
}
