import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { MonitorCreated, SrcId } from '@/api';
import { heartbeatMonitorsCreateMutation, sourcesListOptions } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { BackLink } from '@/parts/editor/BackLink';
import { EmptyState, SkeletonRows } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { FormSummary, ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { bodyOf, FIELDS, missing, newDraft } from '@/screens/heartbeats/draft';
import { Fields } from '@/screens/heartbeats/Fields';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import { Preview } from '@/screens/heartbeats/Preview';

type Props = { onCreated: (created: MonitorCreated) => void };

/** The form of a new monitor. It needs a source, because its alerts are events of one. */
export function NewMonitor({ onCreated }: Props) {
  const { workspace, href, can } = useWorkspace();
  const query = useQuery(sourcesListOptions({ query: { workspaceId: workspace.id, limit: 100 } }));
  const sources = query.data?.items;
  return (
    <>
      <BackLink href={href('heartbeats')} label="Heartbeats" near />
      <PageHeader title="New heartbeat monitor" about="A job that pings when it runs." />
      {query.isPending && <SkeletonRows />}
      {query.error && (
        <div className={styles.inset}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      {sources && !can('admin') && (
        <EmptyState title="Only administrators create monitors">This requires the role admin.</EmptyState>
      )}
      {sources && can('admin') && sources.length === 0 && (
        <EmptyState
          icon={Radio}
          title="Create a source first"
          action={
            <Button component={Link} href={href('sources?new')}>
              Create a source
            </Button>
          }
        >
          A monitor sends its alerts as events of a source.
        </EmptyState>
      )}
      {sources && can('admin') && sources.length > 0 && (
        <Form sourceId={sources.length === 1 ? sources[0]!.id : null} onCreated={onCreated} />
      )}
    </>
  );
}

function Form({ sourceId, onCreated }: Props & { sourceId: SrcId | null }) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(() => newDraft(workspace.timezone, sourceId));
  const create = useMutation({
    ...heartbeatMonitorsCreateMutation(),
    gcTime: 0,
    onSuccess: (created) => {
      onCreated(created);
      navigate(href(`heartbeats/${created.id}?tab=setup`), { replace: true });
      create.reset();
      void refresh('heartbeatMonitorsList');
    },
  });
  const faults = create.error ? fieldFaults(create.error, FIELDS) : { fields: {}, rest: [] };
  const lack = missing(draft);
  return (
    <div className={classes.form}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (lack === '')
            create.mutate({
              body: { ...bodyOf(draft), workspaceId: workspace.id, sourceId: draft.sourceId as SrcId },
            });
        }}
        noValidate
      >
        <FormSummary faults={faults.rest} />
        <Fields draft={draft} onChange={setDraft} errors={faults.fields} isStored={false} />
        <Group mt="lg" gap="xs">
          <Button type="submit" loading={create.isPending} disabled={lack !== ''} mih="var(--target)">
            Create the monitor
          </Button>
          <Button variant="default" component={Link} href={href('heartbeats')} mih="var(--target)">
            Cancel
          </Button>
          {lack && (
            <Text size="sm" className="soft">
              {lack}
            </Text>
          )}
        </Group>
      </form>
      <Preview draft={draft} />
    </div>
  );
}
