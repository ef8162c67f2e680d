import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { profilesCreate, profilesEdit, profilesRead, profilesRemove, type ProfileRecord } from '@/api';
import { profilesReadOptions, profilesReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { fieldFaults, isConflict } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { useWorkspace } from '@/lib/session/workspace';
import type { Retry } from '@/parts/conflict/compare';
import { Conflict } from '@/parts/conflict/Conflict';
import { useOpened } from '@/parts/conflict/useOpened';
import { Modal } from '@/parts/dialogs';
import { PageHeader } from '@/parts/PageHeader';
import { FormSummary } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';
import { formOf, missing, NEW_PROFILE } from '@/screens/profiles/draft';
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

function Form({ profile }: { profile: ProfileRecord | null }) {
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const names = useNames();
  const { opened, form, setForm, take, isChanged } = useOpened(profile, formOf, () => NEW_PROFILE);
  const mayEdit = can('admin');
  const save = useMutation({
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
  const faults = save.error && !isConflict(save.error) ? fieldFaults(save.error, ['name']) : { fields: {}, rest: [] };
  const lack = missing(form);
  return (
    <>
      <div className={styles.top}>
        <Anchor component={Link} href={href('profiles')} size="sm" className={styles.action}>
          <ArrowLeft size={15} aria-hidden /> Profiles
        </Anchor>
      </div>
      <PageHeader
        title={opened ? opened.name : 'New profile'}
        about={
          profile ? `Used by ${usesOf(profile)}` : 'It is used once a rule, a source or the default route names it.'
        }
      >
        {opened && <ProfileHistory profile={opened} />}
      </PageHeader>
      {opened && (
        <Conflict
          fault={save.error}
          noun="profile"
          load={async () => (await profilesRead({ path: { profile_id: opened.id }, throwOnError: true })).data}
          bodyOf={formOf}
          opened={opened}
          yours={form}
          isSaving={save.isPending}
          onKeep={(sent, latest) => save.mutate({ sent, rev: latest.rev })}
          onTake={(latest) => {
            take(latest);
            save.reset();
          }}
          onClose={save.reset}
        />
      )}
      <div className={classes.columns}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate(null);
          }}
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
              <Button type="submit" loading={save.isPending} disabled={lack !== ''} mih="var(--target)">
                {opened ? 'Save' : 'Create the profile'}
              </Button>
              <Button variant="default" component={Link} href={href('profiles')} mih="var(--target)">
                Cancel
              </Button>
              {lack && (
                <Text size="sm" className="soft">
                  {lack}
                </Text>
              )}
            </Group>
          )}
          {profile && mayEdit && <Delete profile={profile} />}
        </form>
        <Simulation form={form} />
      </div>
    </>
  );
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
  const [isConfirming, setIsConfirming] = useState(false);
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
    <section className={styles.foot} aria-labelledby="delete">
      <h2 id="delete" className={classes.heading}>
        Delete this profile
      </h2>
      {isUsed ? (
        <>
          <Text size="sm" className="soft">
            It is in use and cannot be deleted. Change these first:
          </Text>
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
        </>
      ) : (
        <Button
          variant="outline"
          color="red"
          mih="var(--target)"
          onClick={() => setIsConfirming(true)}
          classNames={{ label: styles.critical }}
        >
          Delete the profile
        </Button>
      )}
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title={`Delete ${profile.name}?`}>
        <Text size="sm">Incidents that follow it use the default route from then on.</Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setIsConfirming(false)}>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete the profile
          </Button>
        </Group>
      </Modal>
    </section>
  );
}
