import { ActionIcon, Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Star, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ViewEdit, ViewRecord } from '@/api';
import { viewsEditMutation, viewsRemoveMutation } from '@/api/@tanstack/react-query.gen';
import { useSession, useWorkspace } from '@/app/workspace';
import { refresh } from '@/lib/refresh';
import { say, sayFault } from '@/parts/toast';
import classes from '@/screens/inbox/ViewList.module.css';

const LONGEST_NAME = 100;

type Props = { opened: boolean; onClose: () => void; views: readonly ViewRecord[] };

/** All saved views: rename, make the default, delete. A shared view of somebody else needs the role admin. */
export function ViewList({ opened, onClose, views }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Views" size="lg">
      {views.length === 0 && <Text className="soft">No view is saved.</Text>}
      <ul className={classes.views}>
        {views.map((view) => (
          <Row key={view.id} view={view} />
        ))}
      </ul>
    </Modal>
  );
}

function Row({ view }: { view: ViewRecord }) {
  const { me } = useSession();
  const { can } = useWorkspace();
  const [name, setName] = useState(view.name);
  const [isAsking, setAsking] = useState(false);
  const mayEdit = view.userId === me.id || can('admin');
  const target = { path: { view_id: view.id }, headers: { 'If-Match': `"${view.rev}"` } };
  const settled = { onSettled: () => refresh('viewsList'), onError: sayFault };
  const edit = useMutation({ ...viewsEditMutation(), ...settled });
  const remove = useMutation({ ...viewsRemoveMutation(), ...settled });
  const change = (body: ViewEdit, done: string) => edit.mutate({ ...target, body }, { onSuccess: () => say(done) });
  const busy = edit.isPending || remove.isPending;
  const typed = name.trim();
  return (
    <li className={classes.view}>
      <form
        className={classes.name}
        onSubmit={(event) => {
          event.preventDefault();
          if (typed && typed !== view.name) change({ name: typed }, `The view is now “${typed}”.`);
        }}
      >
        <TextInput
          aria-label={`Name of ${view.name}`}
          description={view.shared ? `Shared by ${view.createdBy?.name ?? 'somebody who left'}` : 'Personal'}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={LONGEST_NAME}
          disabled={!mayEdit}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {typed !== '' && typed !== view.name && (
          <Button type="submit" loading={edit.isPending}>
            Rename
          </Button>
        )}
      </form>
      <ActionIcon
        aria-label={`Open the inbox with ${view.name}`}
        aria-pressed={view.isDefault}
        title={view.isDefault ? 'The inbox opens with it' : 'Open the inbox with it'}
        disabled={!mayEdit || busy}
        onClick={() =>
          change(
            { isDefault: !view.isDefault },
            view.isDefault ? 'The inbox opens without a view.' : `The inbox opens with “${view.name}”.`,
          )
        }
      >
        <Star size={17} fill={view.isDefault ? 'currentColor' : 'none'} aria-hidden />
      </ActionIcon>
      <ActionIcon
        aria-label={`Delete ${view.name}`}
        aria-expanded={isAsking}
        disabled={!mayEdit || busy}
        onClick={() => setAsking(!isAsking)}
      >
        <Trash2 size={17} aria-hidden />
      </ActionIcon>
      {isAsking && (
        <Group className={classes.question} justify="flex-end" gap="xs">
          <Text size="sm">{view.shared ? 'Nobody in the workspace will have it.' : 'It cannot be brought back.'}</Text>
          <Button variant="default" onClick={() => setAsking(false)}>
            Cancel
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate(target, { onSuccess: () => say(`The view “${view.name}” is deleted.`) })}
          >
            Delete the view
          </Button>
        </Group>
      )}
    </li>
  );
}
