import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { MonitorCreated, SrcId } from '@/api';
import { heartbeatMonitorsCreateMutation, sourcesListOptions } from '@/api/@tanstack/react-query.gen';
import { formFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { BackLink } from '@/parts/editor/BackLink';
import { EditorForm } from '@/parts/editor/EditorForm';
import { SaveButtons } from '@/parts/editor/SaveButtons';
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
      <PageHeader title="New heartbeat" about="A job that pings when it runs." />
      {query.isPending && <SkeletonRows />}
      {query.error && (
        <div className={styles.inset}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      {sources && !can('admin') && (
        <EmptyState title="Only administrators can create heartbeats">You need the Admin role.</EmptyState>
      )}
      {sources && can('admin') && sources.length === 0 && (
        <EmptyState
          icon={Radio}
          title="Create a source first"
          action={
            <Button component={Link} href={href('sources?new')}>
              New source
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
  const faults = formFaults(create.error, FIELDS);
  const lack = missing(draft);
  const save = () => {
    if (lack === '')
      create.mutate({ body: { ...bodyOf(draft), workspaceId: workspace.id, sourceId: draft.sourceId as SrcId } });
  };
  return (
    <div className={classes.form}>
      <EditorForm conflict={null} onSave={save} noValidate>
        <FormSummary faults={faults.rest} />
        <Fields draft={draft} onChange={setDraft} errors={faults.fields} isStored={false} />
        <Group mt="lg" gap="xs">
          <SaveButtons
            label="Create the heartbeat"
            isSaving={create.isPending}
            lack={lack}
            cancel={href('heartbeats')}
          />
        </Group>
      </EditorForm>
      <Preview draft={draft} />
    </div>
  );
}
