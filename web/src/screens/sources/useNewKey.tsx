import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { KeyCreated, KeyNew, KeyRecord, SourceRecord } from '@/api';
import { keysCreateMutation, keysRotateMutation } from '@/api/@tanstack/react-query.gen';
import { KEY_KINDS } from '@/lib/configuration/keyKinds';
import { refresh } from '@/lib/requests/refresh';
import { ShowOnce } from '@/parts/ShowOnce';
import { sayFault } from '@/parts/toast';
import type { FreshKey } from '@/screens/sources/tabProps';

type NewKey = { value: string; title: string; isRotated: boolean; isEncrypted: boolean };

/** Creates or rotates a key and shows the new one once. `dialog` belongs at the end of the caller's markup. */
export function useNewKey(source: SourceRecord, onFresh: (key: FreshKey) => void) {
  const [newKey, setNewKey] = useState<NewKey | null>(null);
  const create = useMutation({ ...keysCreateMutation(), gcTime: 0 });
  const rotate = useMutation({ ...keysRotateMutation(), gcTime: 0, onError: sayFault });
  const show = ({ secret, kind, tool }: KeyCreated, isRotated: boolean) => {
    const title = isRotated ? 'New key' : `${KEY_KINDS[kind].label} of ${source.name}`;
    setNewKey({ value: secret, title, isRotated, isEncrypted: kind === 'signing_secret' });
    onFresh({ secret, kind, tool });
    create.reset();
    rotate.reset();
    void refresh('keysOfSource', 'keysList');
  };
  const path = { source_id: source.id };
  const dialog = (
    <ShowOnce
      title={newKey?.title ?? ''}
      onClose={() => setNewKey(null)}
      secret={
        newKey && {
          label: 'INBOX_KEY',
          value: newKey.value,
          fileName: 'inbox.key',
          isEncrypted: newKey.isEncrypted,
        }
      }
    >
      {newKey?.isRotated && (
        <Text size="sm">The old key works for another 24 hours. Update your senders before then.</Text>
      )}
    </ShowOnce>
  );
  return {
    create: (body: KeyNew, done?: () => void, onError: (fault: unknown) => void = sayFault) =>
      create.mutate(
        { path, body },
        {
          onError,
          onSuccess: (key) => {
            done?.();
            if (!body.secret) return show(key, false);
            // What a person has entered is not shown again.
            create.reset();
            void refresh('keysOfSource', 'keysList');
          },
        },
      ),
    rotate: (key: KeyRecord, done?: () => void) =>
      rotate.mutate(
        { path: { ...path, key_id: key.id } },
        {
          onSuccess: (made) => {
            done?.();
            show(made, true);
          },
        },
      ),
    isPending: create.isPending || rotate.isPending,
    dialog,
  };
}
