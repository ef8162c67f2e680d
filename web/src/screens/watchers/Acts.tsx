import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { watchersEdit, watchersRead, type WatcherEdit, type WatcherRecord } from '@/api';
import { watchersRemoveMutation } from '@/api/@tanstack/react-query.gen';
import { changeFields } from '@/lib/requests/changeFields';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { Answers } from '@/parts/Answers';
import { Modal } from '@/parts/dialogs';
import { say, sayFault } from '@/parts/toast';

/** Administrators rename and delete. */
export function Acts({ watcher }: { watcher: WatcherRecord }) {
  const { can } = useWorkspace();
  const [question, setQuestion] = useState<'rename' | 'delete' | null>(null);
  const close = () => setQuestion(null);
  if (!can('admin')) return null;
  return (
    <Group gap="xs">
      <Button variant="default" mih="var(--target)" onClick={() => setQuestion('rename')}>
        Rename
      </Button>
      <Button variant="outline" color="red" mih="var(--target)" onClick={() => setQuestion('delete')}>
        Delete
      </Button>
      <Modal opened={question === 'rename'} onClose={close} title="Rename the watcher">
        <Rename watcher={watcher} onClose={close} />
      </Modal>
      <Modal opened={question === 'delete'} onClose={close} title={`Delete ${watcher.name}`}>
        <Deletion watcher={watcher} onClose={close} />
      </Modal>
    </Group>
  );
}

type QuestionProps = { watcher: WatcherRecord; onClose: () => void };

function Rename({ watcher, onClose }: QuestionProps) {
  const [name, setName] = useState(watcher.name);
  const [first] = useState(watcher);
  const [latest, setLatest] = useState(watcher);
  const path = { watcher_id: watcher.id };
  const edit = useMutation({
    mutationFn: (change: WatcherEdit) =>
      changeFields<WatcherRecord, WatcherEdit>(latest, change, {
        send: async (body, rev) =>
          (await watchersEdit({ path, body, headers: { 'If-Match': `"${rev}"` }, throwOnError: true })).data,
        read: async () => (await watchersRead({ path, throwOnError: true })).data,
      }),
    onError: sayFault,
    onSuccess: ({ newer }) => {
      void refresh('watchersList', 'watchersRead');
      if (newer) return setLatest(newer);
      say('Saved');
      onClose();
    },
  });
  const save = () => edit.mutate({ name: name.trim() || null });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextInput
        label="Name"
        description={`Leave empty to use the name it reports: ${watcher.reportedName}`}
        value={name}
        maxLength={100}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      {latest.name !== first.name && (
        <Text size="sm" mt="xs" role="alert">
          Renamed to “{latest.name}” by someone else. Your change was not saved.
        </Text>
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={edit.isPending}>
          Save the name
        </Button>
      </Group>
    </form>
  );
}

function Deletion({ watcher, onClose }: QuestionProps) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const remove = useMutation({
    ...watchersRemoveMutation(),
    onError: sayFault,
    onSuccess: () => {
      say(`${watcher.name} is deleted.`);
      navigate(href('watchers'), { replace: true });
      void refresh('watchersList', 'heartbeatMonitorsList');
    },
  });
  return (
    <>
      <Text size="sm">
        Its heartbeat monitor is deleted too, and their open incidents are resolved. Stop the agent on the host first,
        or its next check-in will create the watcher again.
      </Text>
      <Answers
        label="Delete the watcher"
        color="red"
        busy={remove.isPending}
        onCancel={onClose}
        onConfirm={() => remove.mutate({ path: { watcher_id: watcher.id } })}
      />
    </>
  );
}
