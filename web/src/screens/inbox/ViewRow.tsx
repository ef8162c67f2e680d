import { ActionIcon, Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { FileCode, Star, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { viewsEdit, viewsRead, viewsRemove, type KeptRecordShape, type ViewEdit, type ViewRecord } from '@/api';
import { changeFields } from '@/lib/requests/changeFields';
import { isConflict } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { say, sayFault } from '@/parts/toast';
import classes from '@/screens/inbox/ViewList.module.css';

const LONGEST_NAME = 100;

/** A saved view: rename, make the default, delete. The name that a person types is compared with the one they saw. */
export function ViewRow({ view, kept }: { view: ViewRecord; kept?: KeptRecordShape }) {
  const { me } = useSession();
  const { can } = useWorkspace();
  // The typed name, and the view as it was when the person began to type: the live layer may show a newer one.
  const [draft, setDraft] = useState<{ name: string; of: ViewRecord } | null>(null);
  const [isAsking, setAsking] = useState(false);
  const mayEdit = view.userId === me.id || can('admin');
  const { change, remove, isPending } = useChanges(view);
  const typed = draft?.name.trim() ?? '';
  const isTyped = typed !== '' && typed !== view.name;
  const isRenamed = isTyped && draft !== null && draft.of.name !== view.name;
  const rename = (of: ViewRecord) => change({ name: typed }, of, `The view is now “${typed}”.`, () => setDraft(null));
  return (
    <li className={classes.view}>
      <form
        className={classes.name}
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped && !isRenamed) rename(draft!.of);
        }}
      >
        <TextInput
          aria-label={`Name of ${view.name}`}
          description={
            view.shared ? `Shared by ${view.createdBy?.name ?? (kept ? 'a file' : 'a former member')}` : 'Personal'
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={LONGEST_NAME}
          disabled={!mayEdit}
          value={draft?.name ?? view.name}
          onChange={({ currentTarget: { value } }) =>
            setDraft(value === view.name ? null : { name: value, of: draft?.of ?? view })
          }
          onBlur={() => typed === '' && setDraft(null)}
        />
        {isTyped && !isRenamed && (
          <Button type="submit" loading={isPending}>
            Rename
          </Button>
        )}
      </form>
      <ActionIcon
        aria-label={`Use ${view.name} as the default view`}
        aria-pressed={view.isDefault}
        title={view.isDefault ? 'Default view' : 'Use as the default view'}
        disabled={!mayEdit || isPending}
        onClick={() =>
          change(
            { isDefault: !view.isDefault },
            view,
            view.isDefault ? 'The inbox no longer has a default view.' : `“${view.name}” is now the default view.`,
          )
        }
      >
        <Star size={17} fill={view.isDefault ? 'currentColor' : 'none'} aria-hidden />
      </ActionIcon>
      <ActionIcon
        aria-label={`Delete ${view.name}`}
        aria-expanded={isAsking}
        disabled={!mayEdit || isPending}
        onClick={() => setAsking(!isAsking)}
      >
        <Trash2 size={17} aria-hidden />
      </ActionIcon>
      {kept && <Kept kept={kept} />}
      {isRenamed && <Renamed view={view} setDraft={setDraft} isPending={isPending} rename={rename} typed={typed} />}
      {isAsking && <DeleteQuestion view={view} setAsking={setAsking} isPending={isPending} remove={remove} />}
    </li>
  );
}

/** A file keeps the view, so that changes by hand will be undone. */
function Kept({ kept }: { kept: KeptRecordShape }) {
  return (
    <div className={classes.kept} role="note">
      <FileCode size={15} aria-hidden />
      <span>
        Kept by a file. Change it in <b>{kept.file}</b>, where it is <span className="mono">{kept.key}</span>.
      </span>
    </div>
  );
}

type RenamedProps = {
  view: ViewRecord;
  setDraft: (draft: null) => void;
  isPending: boolean;
  rename: (of: ViewRecord) => void;
  typed: string;
};

/** Somebody renamed the view in between: which name remains. */
function Renamed({ view, setDraft, isPending, rename, typed }: RenamedProps) {
  return (
    <Group className={classes.question} justify="flex-end" gap="xs" role="alert">
      <Text size="sm">
        Renamed to “{view.name}” {view.shared ? 'by someone else' : 'in another window'}. Your change was not saved.
      </Text>
      <Button variant="default" mih="var(--target)" onClick={() => setDraft(null)}>
        Keep “{view.name}”
      </Button>
      <Button mih="var(--target)" loading={isPending} onClick={() => rename(view)}>
        Rename to “{typed}”
      </Button>
    </Group>
  );
}

type DeleteQuestionProps = {
  view: ViewRecord;
  setAsking: (isAsking: boolean) => void;
  isPending: boolean;
  remove: () => void;
};

function DeleteQuestion({ view, setAsking, isPending, remove }: DeleteQuestionProps) {
  return (
    <Group className={classes.question} justify="flex-end" gap="xs">
      <Text size="sm">
        {view.shared
          ? 'It is removed for everyone in the workspace. It can be restored for seven days.'
          : 'It can be restored for seven days.'}
      </Text>
      <Button variant="default" onClick={() => setAsking(false)}>
        Cancel
      </Button>
      <Button color="red" loading={isPending} onClick={remove}>
        Delete the view
      </Button>
    </Group>
  );
}

/**
 * The writes of a view. What somebody else changed in other fields stays. Where they changed the same field, or the view
 * that is to be deleted, the list shows the newer view and the person decides again.
 */
function useChanges(view: ViewRecord) {
  const path = { view_id: view.id };
  const settled = { onSettled: () => refresh('viewsList'), onError: sayFault };
  const edit = useMutation({
    ...settled,
    mutationFn: ({ body, of }: { body: ViewEdit; of: ViewRecord }) =>
      changeFields<ViewRecord, ViewEdit>(of, body, {
        send: async (body, rev) =>
          (await viewsEdit({ path, body, headers: { 'If-Match': `"${rev}"` }, throwOnError: true })).data,
        read: async () => (await viewsRead({ path, throwOnError: true })).data,
      }),
  });
  const removal = useMutation({
    ...settled,
    mutationFn: () => viewsRemove({ path, headers: { 'If-Match': `"${view.rev}"` }, throwOnError: true }),
    onSuccess: () => say(`The view “${view.name}” is deleted.`),
    onError: (fault) =>
      isConflict(fault)
        ? say('Someone else changed this view. It was not deleted. Review it, then delete it again.')
        : sayFault(fault),
  });
  const change = (body: ViewEdit, of: ViewRecord, done: string, onSaved?: () => void) =>
    edit.mutate(
      { body, of },
      {
        onSuccess: ({ saved }) => {
          if (!saved) return;
          say(done);
          onSaved?.();
        },
      },
    );
  return { change, remove: () => removal.mutate(), isPending: edit.isPending || removal.isPending };
}
