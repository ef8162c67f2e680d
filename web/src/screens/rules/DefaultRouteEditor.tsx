import { Anchor, Button, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { workspacesChangeDefaultRoute, type RouteRecord } from '@/api';
import { workspacesReadDefaultRouteOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/app/workspace';
import { useNames } from '@/lib/names';
import { fieldFaults } from '@/lib/problems';
import { queries } from '@/lib/queries';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words';
import { SkeletonRows } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { FormSummary, ProblemAlert } from '@/parts/ProblemAlert';
import { SeverityBadge } from '@/parts/SeverityBadge';
import { say } from '@/parts/toast';
import { isNobody } from '@/screens/rules/DefaultRoute';
import classes from '@/screens/rules/Rules.module.css';

/** What becomes of events that no rule decides, and who is notified of them. */
export function DefaultRouteEditor() {
  const { workspace, href } = useWorkspace();
  const route = useQuery(workspacesReadDefaultRouteOptions({ path: { workspace_id: workspace.id } }));
  return (
    <>
      <div style={{ padding: '8px 16px 0' }}>
        <Anchor
          component={Link}
          href={href('rules')}
          size="sm"
          style={{ display: 'inline-flex', alignItems: 'center', gap: 4, minHeight: 'var(--target)' }}
        >
          <ArrowLeft size={15} aria-hidden /> Rules
        </Anchor>
      </div>
      <PageHeader title="Default route" about="It applies to every event that no rule decides." />
      {route.isPending && <SkeletonRows count={4} />}
      {route.error && (
        <div style={{ padding: '0 16px' }}>
          <ProblemAlert fault={route.error} onRetry={() => route.refetch()} />
        </div>
      )}
      {route.data && <Form stored={route.data} />}
    </>
  );
}

function Form({ stored }: { stored: RouteRecord }) {
  const { workspace, href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const names = useNames();
  const [route, setRoute] = useState(stored);
  const save = useMutation({
    mutationFn: () =>
      workspacesChangeDefaultRoute({ path: { workspace_id: workspace.id }, body: route, throwOnError: true }),
    onSuccess: () => {
      say('Default route saved');
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => (queryKey[0] as { _id?: string })?._id === 'workspacesReadDefaultRoute',
      });
      navigate(href('rules'));
    },
  });
  return (
    <form
      style={{ maxWidth: 640, padding: '0 16px 32px' }}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <FormSummary faults={save.error ? fieldFaults(save.error, []).rest : []} />
      <fieldset disabled={!can('admin')} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <Stack gap="sm">
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
          {isNobody(route) && (
            <Text size="sm" c="var(--severity-critical)">
              Nobody is notified of incidents without a rule.
            </Text>
          )}
          <h2 style={{ fontSize: 14, margin: '8px 0 0' }}>What becomes of each severity</h2>
          {SEVERITIES.map((severity) => (
            <div key={severity} style={{ display: 'flex', gap: 12, alignItems: 'center' }}>
              <span style={{ width: 100 }}>
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
          ))}
        </Stack>
      </fieldset>
      {can('admin') && (
        <div className={classes.foot} style={{ marginTop: 16 }}>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={JSON.stringify(route) === JSON.stringify(stored)}
            mih="var(--target)"
          >
            Save
          </Button>
          <Button variant="default" component={Link} href={href('rules')} mih="var(--target)">
            Cancel
          </Button>
        </div>
      )}
    </form>
  );
}
