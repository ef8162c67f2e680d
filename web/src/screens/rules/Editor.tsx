import { Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'wouter';
import { rulesCreate, rulesEdit, rulesRead, rulesRemove, type RuleEdit, type RuleRecord } from '@/api';
import { rulesReadOptions, rulesReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { type FieldFaults, formFaults } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { useWorkspace } from '@/lib/session/workspace';
import type { Retry } from '@/parts/conflict/compare';
import { useOpened } from '@/parts/conflict/useOpened';
import { DeleteButton } from '@/parts/editor/DeleteButton';
import { DeleteSection } from '@/parts/editor/DeleteSection';
import { EditorPage } from '@/parts/editor/EditorPage';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { MatchEditor } from '@/parts/match/MatchEditor';
import { TooCostly } from '@/parts/match/TooCostly';
import { FormSummary } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';
import { Actions } from '@/screens/rules/Actions';
import { bodyOf, formOf, isReady, newRuleOf, type RuleForm } from '@/screens/rules/draft';
import { Narrowing } from '@/screens/rules/Narrowing';
import { Preview } from '@/screens/rules/Preview';
import { RuleHistory } from '@/screens/rules/RuleHistory';
import classes from '@/screens/rules/Rules.module.css';
import { Warnings } from '@/screens/rules/Warnings';

/** A new rule, or a stored one once it is read. */
export function Editor({ id }: { id: RuleRecord['id'] | null }) {
  const { href } = useWorkspace();
  const query = useQuery({ ...rulesReadOptions({ path: { rule_id: id ?? 'rul_' } }), enabled: id !== null });
  if (id === null) return <Form rule={null} />;
  if (query.data) return <Form key={query.data.id} rule={query.data} />;
  return <RecordState query={query} noun="rule" back={{ href: href('rules'), label: 'Back to the rules' }} />;
}

/** The form at the left, what it would have done at the right. */
function Form({ rule }: { rule: RuleRecord | null }) {
  const { href, can } = useWorkspace();
  const [params] = useSearchParams();
  const { opened, form, setForm, take, isChanged, isTouched } = useOpened(rule, formOf, () => newRuleOf(params));
  const mayEdit = can('admin');
  const save = useSave(opened, form);
  const faults = formFaults(save.error, ['name', 'match', 'matchText']);
  return (
    <EditorPage<RuleRecord>
      back={{ href: href('rules'), label: 'Rules' }}
      title={opened ? opened.name : 'New rule'}
      about={
        opened ? `Rule ${opened.position} of the workspace` : 'It is evaluated last. You can move it in the list later.'
      }
      actions={opened && <RuleHistory rule={opened} />}
      conflict={
        opened && {
          fault: save.error,
          noun: 'rule',
          load: async () => (await rulesRead({ path: { rule_id: opened.id }, throwOnError: true })).data,
          bodyOf: (stored) => bodyOf(formOf(stored)),
          opened,
          yours: bodyOf(form),
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
      preview={mayEdit && <Preview form={form} id={opened?.id ?? null} />}
    >
      <FormSummary faults={faults.rest} />
      <fieldset disabled={!mayEdit} className={styles.fields}>
        <Fields form={form} onChange={setForm} opened={opened} faults={faults} />
      </fieldset>
      {mayEdit && isChanged && <Warnings form={form} rule={opened} />}
      {!mayEdit && (
        <Text size="sm" className="soft">
          You need the Admin role to change rules.
        </Text>
      )}
      {mayEdit && isChanged && (
        <div className={classes.foot}>
          <SaveButtons
            label={opened ? 'Save' : 'Create the rule'}
            isSaving={save.isPending}
            lack={lackOf(form)}
            cancel={href('rules')}
          />
        </div>
      )}
      {opened && mayEdit && <Delete rule={opened} />}
    </EditorPage>
  );
}

function lackOf(form: RuleForm): string {
  if (form.name.trim() === '') return 'Enter a name.';
  return isReady(form) ? '' : 'Complete each condition.';
}

/** Creates the rule, or changes it under the revision that was opened. */
function useSave(opened: RuleRecord | null, form: RuleForm) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async (retry: Retry | null) => {
      const body = bodyOf(form);
      if (!opened)
        return (await rulesCreate({ body: { ...body, workspaceId: workspace.id }, throwOnError: true })).data;
      return (
        await rulesEdit({
          path: { rule_id: opened.id },
          body: retry ? (retry.sent as RuleEdit) : body,
          headers: { 'If-Match': `"${retry?.rev ?? opened.rev}"` },
          throwOnError: true,
        })
      ).data;
    },
    onSuccess: (saved) => {
      say(opened ? 'Rule saved' : 'Rule created');
      queries.setQueryData(rulesReadQueryKey({ path: { rule_id: saved.id } }), saved);
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => ['rulesList', 'rulesRead'].includes((queryKey[0] as { _id?: string })?._id ?? ''),
      });
      navigate(href('rules'), { state: { saved: saved.id } });
    },
  });
}

type FieldsProps = {
  form: RuleForm;
  onChange: (form: RuleForm) => void;
  opened: RuleRecord | null;
  faults: FieldFaults;
};

function Fields({ form, onChange, opened, faults }: FieldsProps) {
  const names = useNames();
  return (
    <>
      <Stack gap="sm" pb="md">
        <TextInput
          label="Name"
          required
          maxLength={100}
          value={form.name}
          onChange={(event) => onChange({ ...form, name: event.currentTarget.value })}
          error={faults.fields.name}
          placeholder="Databases at night"
        />
        <Switch
          label="Enabled"
          checked={form.enabled}
          onChange={(event) => onChange({ ...form, enabled: event.currentTarget.checked })}
          mih="var(--target)"
          classNames={{ body: classes.targetLine }}
        />
      </Stack>
      <div className={classes.section}>
        <TooCostly record={opened?.tooCostly ?? null} />
        <MatchEditor
          match={form.match}
          onChange={(match) => onChange({ ...form, match })}
          every="Without a condition the rule matches every event."
          error={faults.fields.match ?? faults.fields.matchText}
        />
      </div>
      <Narrowing form={form} onChange={onChange} names={names} />
      <Actions form={form} onChange={onChange} names={names} />
    </>
  );
}

function Delete({ rule }: { rule: RuleRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => rulesRemove({ path: { rule_id: rule.id }, throwOnError: true }),
    onSuccess: () => {
      say('Rule deleted');
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => (queryKey[0] as { _id?: string })?._id === 'rulesList',
      });
      navigate(href('rules'));
    },
    onError: sayFault,
  });
  return (
    <DeleteSection noun="rule" about="Later rules and the default route take over. Existing incidents do not change.">
      <DeleteButton noun="rule" name={rule.name} isDeleting={remove.isPending} onDelete={() => remove.mutate()}>
        <Text size="sm">It matched {rule.matchedLast24h.toLocaleString()} events in the last 24 hours.</Text>
      </DeleteButton>
    </DeleteSection>
  );
}
