import { Anchor, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { rulesCreate, rulesEdit, rulesRead, rulesRemove, type RuleEdit, type RuleRecord } from '@/api';
import { rulesReadOptions, rulesReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { fieldFaults, isConflict } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { useWorkspace } from '@/lib/session/workspace';
import type { Retry } from '@/parts/conflict/compare';
import { Conflict } from '@/parts/conflict/Conflict';
import { useOpened } from '@/parts/conflict/useOpened';
import { Modal } from '@/parts/dialogs';
import { MatchEditor } from '@/parts/match/MatchEditor';
import { TooCostly } from '@/parts/match/TooCostly';
import { PageHeader } from '@/parts/PageHeader';
import { FormSummary } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';
import { Actions } from '@/screens/rules/Actions';
import { bodyOf, formOf, isReady, newRuleOf } from '@/screens/rules/draft';
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
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const names = useNames();
  const [params] = useSearchParams();
  const { opened, form, setForm, take, isChanged } = useOpened(rule, formOf, () => newRuleOf(params));
  const mayEdit = can('admin');
  const save = useMutation({
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
  const faults =
    save.error && !isConflict(save.error)
      ? fieldFaults(save.error, ['name', 'match', 'matchText'])
      : { fields: {}, rest: [] };
  const isNamed = form.name.trim() !== '';
  return (
    <>
      <div className={styles.top}>
        <Anchor component={Link} href={href('rules')} size="sm" className={styles.action}>
          <ArrowLeft size={15} aria-hidden /> Rules
        </Anchor>
      </div>
      <PageHeader
        title={opened ? opened.name : 'New rule'}
        about={
          opened ? `Rule ${opened.position} of the workspace` : 'It is evaluated last. Move it in the list afterwards.'
        }
      >
        {opened && <RuleHistory rule={opened} />}
      </PageHeader>
      {opened && (
        <Conflict
          fault={save.error}
          noun="rule"
          load={async () => (await rulesRead({ path: { rule_id: opened.id }, throwOnError: true })).data}
          bodyOf={(stored) => bodyOf(formOf(stored))}
          opened={opened}
          yours={bodyOf(form)}
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
          <FormSummary faults={faults.rest} />
          <fieldset disabled={!mayEdit} className={styles.fields}>
            <Stack gap="sm" pb="md">
              <TextInput
                label="Name"
                required
                maxLength={100}
                value={form.name}
                onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
                error={faults.fields.name}
                placeholder="Databases at night"
              />
              <Switch
                label="Enabled"
                checked={form.enabled}
                onChange={(event) => setForm({ ...form, enabled: event.currentTarget.checked })}
                mih="var(--target)"
                classNames={{ body: classes.targetLine }}
              />
            </Stack>
            <div className={classes.section}>
              <TooCostly record={opened?.tooCostly ?? null} />
              <MatchEditor
                match={form.match}
                onChange={(match) => setForm({ ...form, match })}
                every="Without a condition the rule matches every event."
                error={faults.fields.match ?? faults.fields.matchText}
              />
            </div>
            <Narrowing form={form} onChange={setForm} names={names} />
            <Actions form={form} onChange={setForm} names={names} />
          </fieldset>
          {mayEdit && isChanged && <Warnings form={form} rule={opened} />}
          {!mayEdit && (
            <Text size="sm" className="soft">
              You need the role admin to change rules.
            </Text>
          )}
          {mayEdit && isChanged && (
            <div className={classes.foot}>
              <Button type="submit" loading={save.isPending} disabled={!isNamed || !isReady(form)} mih="var(--target)">
                {opened ? 'Save' : 'Create the rule'}
              </Button>
              <Button variant="default" component={Link} href={href('rules')} mih="var(--target)">
                Cancel
              </Button>
              {(!isNamed || !isReady(form)) && (
                <Text size="sm" className="soft">
                  {isNamed ? 'Complete each condition.' : 'Give it a name.'}
                </Text>
              )}
            </div>
          )}
          {opened && mayEdit && <Delete rule={opened} />}
        </form>
        {mayEdit && <Preview form={form} id={opened?.id ?? null} />}
      </div>
    </>
  );
}

function Delete({ rule }: { rule: RuleRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const [isConfirming, setIsConfirming] = useState(false);
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
    <section className={`${classes.section} ${classes.lowerSection}`} aria-labelledby="delete">
      <Text component="h2" id="delete" fw={600} size="sm" mb={4} mt={0}>
        Delete this rule
      </Text>
      <Text size="sm" className="soft" mb="xs">
        Later rules and the default route decide from then on. Incidents stay as they are.
      </Text>
      <Button
        variant="outline"
        color="red"
        onClick={() => setIsConfirming(true)}
        mih="var(--target)"
        classNames={{ label: styles.critical }}
      >
        Delete the rule
      </Button>
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title={`Delete ${rule.name}?`}>
        <Text size="sm">It matched {rule.matchedLast24h.toLocaleString()} events in the last 24 hours.</Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setIsConfirming(false)}>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete the rule
          </Button>
        </Group>
      </Modal>
    </section>
  );
}
