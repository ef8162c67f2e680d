import { Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { profilesCreate, profilesEdit, profilesRead, profilesRemove, type ProfileRecord } from '@/api';
import { profilesReadOptions, profilesReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { formFaults } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { useWorkspace } from '@/lib/session/workspace';
import type { Retry } from '@/parts/conflict/compare';
import { useOpened } from '@/parts/conflict/useOpened';
import { DeleteButton } from '@/parts/editor/DeleteButton';
import { DeleteSection } from '@/parts/editor/DeleteSection';
import { EditorPage } from '@/parts/editor/EditorPage';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { FormSummary } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';
import { formOf, missing, NEW_PROFILE, type ProfileForm } from '@/screens/profiles/draft';
import { ProfileHistory } from '@/screens/profiles/ProfileHistory';
import { usesOf } from '@/screens/profiles/ProfileList';
import classes from '@/screens/profiles/Profiles.module.css';
import { Simulation } from '@/screens/profiles/Simulation';
import { Steps } from '@/screens/profiles/Steps';
import { Timeouts } from '@/screens/profiles/Timeouts';

/** A new profile, or a stored one once it is read. */
export function Editor({ id }: { id: ProfileRecord['id'] | null }) {
  const { href } = useWorkspace();
  const query = useQuery({ ...profilesReadOptions({ path: { profile_id: id ?? 'prf_' } }), enabled: id !== null });
  if (id === null) return <Form profile={null} />;
  if (query.data) return <Form key={query.data.id} profile={query.data} />;
  return <RecordState query={query} noun="profile" back={{ href: href('profiles'), label: 'Back to the profiles' }} />;
}

/** The form at the left, whom it would notify when at the right. */
function Form({ profile }: { profile: ProfileRecord | null }) {
  const { href, can } = useWorkspace();
  const names = useNames();
  const { opened, form, setForm, take, isChanged, isTouched } = useOpened(profile, formOf, () => NEW_PROFILE);
  const mayEdit = can('admin');
  const save = useSave(opened, form);
  const faults = formFaults(save.error, ['name']);
  return (
    <EditorPage<ProfileRecord>
      back={{ href: href('profiles'), label: 'Profiles' }}
      title={opened ? opened.name : 'New profile'}
      about={
        profile ? `Used by ${usesOf(profile)}` : 'It takes effect when a rule, a source or the default route uses it.'
      }
      actions={opened && <ProfileHistory profile={opened} />}
      conflict={
        opened && {
          fault: save.error,
          noun: 'profile',
          load: async () => (await profilesRead({ path: { profile_id: opened.id }, throwOnError: true })).data,
          bodyOf: formOf,
          opened,
          yours: form,
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
      preview={<Simulation form={form} />}
    >
      <fieldset disabled={!mayEdit} className={styles.fields}>
        <Stack gap="md">
          <FormSummary faults={faults.rest} />
          <TextInput
            label="Name"
            required
            maxLength={100}
            value={form.name}
            onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
            error={faults.fields.name}
            placeholder="On call"
          />
          <Steps form={form} onChange={setForm} names={names} />
          <Timeouts form={form} onChange={setForm} names={names} />
        </Stack>
      </fieldset>
      {mayEdit && isChanged && (
        <Group mt="md" gap="xs">
          <SaveButtons
            label={opened ? 'Save' : 'Create the profile'}
            isSaving={save.isPending}
            lack={missing(form)}
            cancel={href('profiles')}
          />
        </Group>
      )}
      {profile && mayEdit && <Delete profile={profile} />}
    </EditorPage>
  );
}

/** Creates the profile, or changes it under the revision that was opened. */
function useSave(opened: ProfileRecord | null, form: ProfileForm) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async (retry: Retry | null) => {
      if (!opened) return profilesCreate({ body: { ...form, workspaceId: workspace.id }, throwOnError: true });
      return profilesEdit({
        path: { profile_id: opened.id },
        body: retry?.sent ?? form,
        headers: { 'If-Match': `"${retry?.rev ?? opened.rev}"` },
        throwOnError: true,
      });
    },
    onSuccess: ({ data: saved }) => {
      queries.setQueryData(profilesReadQueryKey({ path: { profile_id: saved.id } }), saved);
      say(opened ? 'Profile saved' : 'Profile created');
      refresh();
      navigate(href('profiles'));
    },
  });
}

function refresh(): void {
  void queries.invalidateQueries({
    predicate: ({ queryKey }) =>
      ['profilesList', 'profilesRead'].includes((queryKey[0] as { _id?: string })?._id ?? ''),
  });
}

/** A profile in use cannot be deleted: what uses it is listed instead. */
function Delete({ profile }: { profile: ProfileRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const { usedBy } = profile;
  const isUsed = usedBy.defaultRoute || usedBy.rulesTotal > 0 || usedBy.sourcesTotal > 0;
  const remove = useMutation({
    mutationFn: () => profilesRemove({ path: { profile_id: profile.id }, throwOnError: true }),
    onSuccess: () => {
      say('Profile deleted');
      refresh();
      navigate(href('profiles'));
    },
    onError: sayFault,
  });
  return (
    <DeleteSection noun="profile" about={isUsed && 'It is in use and cannot be deleted. Change these first:'}>
      {isUsed ? (
        <ul className={classes.users}>
          {usedBy.defaultRoute && (
            <li>
              <Link href={href('rules/default')} className={styles.link}>
                The default route
              </Link>
            </li>
          )}
          {usedBy.rules.map((each) => (
            <li key={each.id}>
              Rule{' '}
              <Link href={href(`rules/${each.id}`)} className={styles.link}>
                {each.name}
              </Link>
            </li>
          ))}
          {usedBy.sources.map((each) => (
            <li key={each.id}>
              Source{' '}
              <Link href={href(`sources/${each.id}`)} className={styles.link}>
                {each.name}
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <DeleteButton noun="profile" name={profile.name} isDeleting={remove.isPending} onDelete={() => remove.mutate()}>
          <Text size="sm">Incidents that use it switch to the default route.</Text>
        </DeleteButton>
      )}
    </DeleteSection>
  );
}
