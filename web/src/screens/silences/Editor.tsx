import { Anchor, Button, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { silencesCreate, silencesEdit, silencesRead, type SilenceRecord } from '@/api';
import { silencesReadOptions } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { fieldFaults, isConflict } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { useWorkspace } from '@/lib/session/workspace';
import { localOf } from '@/lib/time/localTime';
import { shownZone } from '@/lib/time/time';
import { changes, type Retry } from '@/parts/conflict/compare';
import { Conflict } from '@/parts/conflict/Conflict';
import { useOpened } from '@/parts/conflict/useOpened';
import { MatchEditor } from '@/parts/match/MatchEditor';
import { TooCostly } from '@/parts/match/TooCostly';
import { PageHeader } from '@/parts/PageHeader';
import { FormSummary } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { Deletion } from '@/screens/silences/Deletion';
import { beginOf, bodyOf, coversAll, ENDS, formOf, missing, newForm } from '@/screens/silences/draft';
import { Preview } from '@/screens/silences/Preview';
import { Recurrence } from '@/screens/silences/Recurrence';
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

function Form({ silence }: { silence: SilenceRecord | null }) {
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const names = useNames();
  const { opened, form, setForm, take, isChanged } = useOpened(silence, formOf, () => newForm(params));
  const isOver = opened?.state === 'expired';
  const mayEdit = can('member') && !isOver;
  const save = useMutation({
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
  const faults = save.error && !isConflict(save.error) ? fieldFaults(save.error, FIELDS) : { fields: {}, rest: [] };
  const lack = missing(form);
  return (
    <>
      <div className={styles.top}>
        <Anchor component={Link} href={href('silences')} size="sm" className={styles.action}>
          <ArrowLeft size={15} aria-hidden /> Silences
        </Anchor>
      </div>
      <PageHeader
        title={opened ? opened.comment : 'New silence'}
        about={
          isOver
            ? 'It is over and cannot be changed.'
            : 'Incidents that match are recorded and send no notices until it ends.'
        }
      />
      {opened && (
        <Conflict
          fault={save.error}
          noun="silence"
          load={async () => (await silencesRead({ path: { silence_id: opened.id }, throwOnError: true })).data}
          bodyOf={(stored) => bodyOf(formOf(stored))}
          opened={opened}
          yours={lack ? {} : bodyOf(form)}
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
              <TooCostly record={opened?.tooCostly ?? null} />
              <MatchEditor
                match={form.match}
                onChange={(match) => setForm({ ...form, match })}
                every="Without a condition the silence covers every incident."
                error={faults.fields.match ?? faults.fields.matchText}
              />
              <MultiSelect
                label="Sources"
                data={names.sources}
                value={form.sourceIds}
                searchable
                placeholder={form.sourceIds.length ? undefined : 'All sources'}
                onChange={(sourceIds) => setForm({ ...form, sourceIds })}
                nothingFoundMessage="No source"
              />
              <TextInput
                type="datetime-local"
                label="Start"
                description={`${opened ? '' : 'Empty: now. '}By the clock of ${shownZone()}.`}
                value={form.startsAt}
                onChange={(event) => setForm({ ...form, startsAt: event.currentTarget.value })}
                error={faults.fields.startsAt}
              />
              <div>
                <TextInput
                  type="datetime-local"
                  label="End"
                  required
                  value={form.endsAt}
                  onChange={(event) => setForm({ ...form, endsAt: event.currentTarget.value })}
                  error={faults.fields.endsAt}
                />
                <Group gap={6} mt={6}>
                  {ENDS.map((each) => (
                    <Button
                      key={each.label}
                      size="compact-sm"
                      variant="default"
                      mih="var(--target)"
                      onClick={() => setForm({ ...form, endsAt: localOf(each.until(beginOf(form))) })}
                    >
                      {each.label}
                    </Button>
                  ))}
                </Group>
              </div>
              <Recurrence form={form} onChange={setForm} error={faults.fields['recurrence.rrule']} />
              <TextInput
                label="Reason"
                required
                maxLength={500}
                value={form.comment}
                onChange={(event) => setForm({ ...form, comment: event.currentTarget.value })}
                error={faults.fields.comment}
                placeholder="Database upgrade, OPS-7"
              />
            </Stack>
          </fieldset>
          {mayEdit && coversAll(form) && (
            <Text size="sm" mt="md" role="status" c="var(--severity-warning)">
              It covers every incident of {workspace.name}, critical ones too.
            </Text>
          )}
          {mayEdit && isChanged && (
            <Group mt="md" gap="xs">
              <Button type="submit" loading={save.isPending} disabled={lack !== ''} mih="var(--target)">
                {opened ? 'Save' : 'Create the silence'}
              </Button>
              <Button variant="default" component={Link} href={href('silences')} mih="var(--target)">
                Cancel
              </Button>
              {lack && (
                <Text size="sm" className="soft">
                  {lack}
                </Text>
              )}
            </Group>
          )}
          {opened && can('member') && <Deletion silence={opened} />}
        </form>
        {can('member') && <Preview form={form} />}
      </div>
    </>
  );
}
