import { MultiSelect, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { RouteRecord, WorkspaceRecord } from '@/api';
import { readRoute, routeOptions, saveRoute, type StoredRoute } from '@/lib/configuration/defaultRoute';
import { useNames } from '@/lib/configuration/names';
import { isNobody } from '@/lib/configuration/pageTargets';
import { formFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import { useOpened } from '@/parts/conflict/useOpened';
import { BackLink } from '@/parts/editor/BackLink';
import { EditorForm } from '@/parts/editor/EditorForm';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { SkeletonRows } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { FormSummary, ProblemAlert } from '@/parts/ProblemAlert';
import { PageSelect } from '@/parts/PageSelect';
import { SeverityBadge } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { withFields, wordsOf } from '@/screens/rules/routeFields';
import classes from '@/screens/rules/Rules.module.css';

/** What becomes of events that no rule decides, and who is notified of them. */
export function DefaultRouteEditor() {
  const { workspace, href } = useWorkspace();
  const route = useQuery(routeOptions(workspace.id));
  return (
    <>
      <BackLink href={href('rules')} label="Rules" />
      <PageHeader title="Default route" about="Applies to every event that no rule matches." />
      {route.isPending && <SkeletonRows count={4} />}
      {route.error && (
        <div className={styles.inset}>
          <ProblemAlert fault={route.error} onRetry={() => route.refetch()} />
        </div>
      )}
      {route.data && <Form stored={route.data} />}
    </>
  );
}

function Form({ stored }: { stored: StoredRoute }) {
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const {
    opened,
    form: route,
    setForm: setRoute,
    take,
    isChanged,
  } = useOpened<StoredRoute, RouteRecord>(
    stored,
    (each) => each.route,
    () => stored.route,
  );
  const save = useSave(workspace, route, opened, navigate, href);
  return (
    <div className={classes.routeForm}>
      <EditorForm<StoredRoute>
        conflict={{
          fault: save.error,
          noun: 'route',
          load: () => readRoute(workspace.id),
          bodyOf: (each) => wordsOf(each.route),
          opened,
          yours: wordsOf(route),
          isSaving: save.isPending,
          onKeep: (sent, { route: latest, tag }) =>
            save.mutate({ route: withFields(latest, route, Object.keys(sent)), tag }),
          onTake: (latest) => {
            take(latest);
            save.reset();
          },
          onClose: save.reset,
        }}
        onSave={() => save.mutate(null)}
      >
        <FormSummary faults={formFaults(save.error, []).rest} />
        <fieldset disabled={!can('admin')} className={styles.fields}>
          <Stack gap="sm">
            <Recipients route={route} setRoute={setRoute} />
            {isNobody(route) && (
              <Text size="sm" c="var(--severity-critical)">
                Nobody is notified of incidents without a rule.
              </Text>
            )}
            <h2 className={classes.routeTitle}>Action for each severity</h2>
            {SEVERITIES.map((severity) => (
              <SeverityRow key={severity} severity={severity} route={route} setRoute={setRoute} />
            ))}
          </Stack>
        </fieldset>
        {can('admin') && (
          <div className={`${classes.foot} ${classes.routeFoot}`}>
            <SaveButtons label="Save" isSaving={save.isPending} isIdle={!isChanged} cancel={href('rules')} />
          </div>
        )}
      </EditorForm>
    </div>
  );
}

type RecipientsProps = Pick<SeverityRowProps, 'route' | 'setRoute'>;

/** Who is paged and notified of incidents without a rule. */
function Recipients({ route, setRoute }: RecipientsProps) {
  const names = useNames();
  return (
    <>
      <PageSelect
        label="Page"
        description="By the notification rules of each person. Of a schedule, whoever is on call."
        value={route.people}
        onChange={(people) => setRoute({ ...route, people })}
      />
      <MultiSelect
        label="Notify"
        data={names.destinations}
        value={route.destinationIds}
        searchable
        placeholder={route.destinationIds.length ? undefined : 'Destinations'}
        onChange={(ids) => setRoute({ ...route, destinationIds: ids as RouteRecord['destinationIds'] })}
        nothingFoundMessage="No destination"
      />
      <Select
        label="Routing profile"
        data={names.profiles}
        value={route.routingProfileId ?? null}
        clearable
        placeholder="None"
        onChange={(id) => setRoute({ ...route, routingProfileId: id })}
      />
    </>
  );
}

type SeverityRowProps = {
  severity: 'DEBUG' | 'INFO' | 'SUCCESS' | 'WARNING' | 'ERROR' | 'CRITICAL';
  route: RouteRecord;
  setRoute: (route: RouteRecord) => void;
};

/** What becomes of the events of one severity. */
function SeverityRow({ severity, route, setRoute }: SeverityRowProps) {
  return (
    <div className={classes.routeLine}>
      <span className={classes.routeLabel}>
        <SeverityBadge severity={severity} />
      </span>
      <Select
        aria-label={`${SEVERITY_WORD[severity]} events`}
        allowDeselect={false}
        value={route.dispositions?.[severity] ?? 'incident'}
        disabled={severity === 'SUCCESS'}
        data={[
          { value: 'incident', label: 'Open an incident' },
          { value: 'log', label: severity === 'SUCCESS' ? 'Resolve, else log' : 'Log only' },
        ]}
        onChange={(value) => setRoute({ ...route, dispositions: { ...route.dispositions, [severity]: value } })}
      />
    </div>
  );
}

function useSave(
  workspace: WorkspaceRecord,
  route: RouteRecord,
  opened: StoredRoute | null,
  navigate: ReturnType<typeof useLocation>[1],
  href: (path: string) => string,
) {
  return useMutation({
    mutationFn: (newer: Omit<StoredRoute, 'id'> | null) =>
      saveRoute(workspace.id, newer ?? { route, tag: opened?.tag ?? '*' }),
    onSuccess: () => {
      say('Default route saved');
      void refresh('workspacesReadDefaultRoute');
      navigate(href('rules'));
    },
  });
}
