import { Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'wouter';
import { silencesCreate, silencesEdit, silencesRead, type SilenceRecord } from '@/api';
import { silencesReadOptions } from '@/api/@tanstack/react-query.gen';
import { formFaults } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { useWorkspace } from '@/lib/session/workspace';
import { changes, type Retry } from '@/parts/conflict/compare';
import { useOpened } from '@/parts/conflict/useOpened';
import { EditorPage } from '@/parts/editor/EditorPage';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { Deletion } from '@/screens/silences/Deletion';
import { bodyOf, coversAll, formOf, missing, newForm, type SilenceForm } from '@/screens/silences/draft';
import { Fields } from '@/screens/silences/Fields';
import { Preview } from '@/screens/silences/Preview';
import classes from '@/screens/silences/Silences.module.css';

const FIELDS = ['comment', 'startsAt', 'endsAt', 'match', 'matchText', 'recurrence.rrule'];

/** A new silence, or a stored one once it is read. */
export function Editor({ id }: { id: SilenceRecord['id'] | null }) {
  const { href } = useWorkspace();
  const query = useQuery({ ...silencesReadOptions({ path: { silence_id: id ?? 'sil_' } }), enabled: id !== null });
  if (id === null) return <Form silence={null} />;
  if (query.data) return <Form key={query.data.id} silence={query.data} />;
  return <RecordState query={query} noun="silence" back={{ href: href('silences'), label: 'Back to the silences' }} />;
}

/** The form at the left, the incidents that it would silence at the right. */
function Form({ silence }: { silence: SilenceRecord | null }) {
  const { workspace, href, can } = useWorkspace();
  const [params] = useSearchParams();
  const { opened, form, setForm, take, isChanged, isTouched } = useOpened(silence, formOf, () => newForm(params));
  const isOver = opened?.state === 'expired';
  const mayEdit = can('member') && !isOver;
  const save = useSave(opened, form);
  const faults = formFaults(save.error, FIELDS);
  const lack = missing(form);
  return (
    <EditorPage<SilenceRecord>
      back={{ href: href('silences'), label: 'Silences' }}
      title={opened ? opened.comment : 'New silence'}
      about={
        isOver
          ? 'It has ended and cannot be changed.'
          : 'Matching incidents are recorded but send no notifications until it ends.'
      }
      conflict={
        opened && {
          fault: save.error,
          noun: 'silence',
          load: async () => (await silencesRead({ path: { silence_id: opened.id }, throwOnError: true })).data,
          bodyOf: (stored) => bodyOf(formOf(stored)),
          opened,
          yours: lack ? {} : bodyOf(form),
          isSaving: save.isPending,
          onKeep: (sent, latest) => save.mutate({ sent, rev: latest.rev }),
          onTake: (latest) => {
            take(latest);
            save.reset();
          },
          onClose: save.reset,
        }
      }
      columns={classes.columns}
      onSave={() => save.mutate(null)}
      isUnsaved={isTouched && !save.isPending}
      preview={can('member') && <Preview form={form} />}
    >
      <fieldset disabled={!mayEdit} className={styles.fields}>
        <Fields form={form} onChange={setForm} opened={opened} faults={faults} />
      </fieldset>
      {mayEdit && coversAll(form) && (
        <Text size="sm" mt="md" role="status" c="var(--severity-warning)">
          It covers every incident in {workspace.name}, including critical ones.
        </Text>
      )}
      {mayEdit && isChanged && (
        <Group mt="md" gap="xs">
          <SaveButtons
            label={opened ? 'Save' : 'Create the silence'}
            isSaving={save.isPending}
            lack={lack}
            cancel={href('silences')}
          />
        </Group>
      )}
      {opened && can('member') && <Deletion silence={opened} />}
    </EditorPage>
  );
}

/** Creates the silence, or changes it under the revision that was opened. */
function useSave(opened: SilenceRecord | null, form: SilenceForm) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: (retry: Retry | null) => {
      const body = bodyOf(form);
      if (!opened) return silencesCreate({ body: { ...body, workspaceId: workspace.id }, throwOnError: true });
      return silencesEdit({
        path: { silence_id: opened.id },
        body: retry?.sent ?? changes({ ...bodyOf(formOf(opened)) }, { ...body }),
        headers: { 'If-Match': `"${retry?.rev ?? opened.rev}"` },
        throwOnError: true,
      });
    },
    onSuccess: ({ data }) => {
      say(opened ? 'Silence saved' : 'Silence created');
      void queries.invalidateQueries({
        predicate: ({ queryKey }) =>
          ['silencesList', 'silencesRead'].includes((queryKey[0] as { _id?: string })?._id ?? ''),
      });
      navigate(href(`silences${data.state === 'active' ? '' : `?state=${data.state}`}`));
    },
  });
}
