import { Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { heartbeatMonitorsRead, type MonitorEdit, type MonitorRecord } from '@/api';
import { heartbeatMonitorsEditMutation, heartbeatMonitorsRemoveMutation } from '@/api/@tanstack/react-query.gen';
import { formFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { changes } from '@/parts/conflict/compare';
import { useOpened } from '@/parts/conflict/useOpened';
import { DeleteButton } from '@/parts/editor/DeleteButton';
import { DeleteSection } from '@/parts/editor/DeleteSection';
import { EditorForm } from '@/parts/editor/EditorForm';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { FormSummary } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';
import { bodyOf, draftOf, FIELDS, missing } from '@/screens/heartbeats/draft';
import { Fields } from '@/screens/heartbeats/Fields';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import { Preview } from '@/screens/heartbeats/Preview';
import type { TabProps } from '@/screens/heartbeats/tabProps';
import { show } from '@/screens/heartbeats/useActs';

/** The form of a stored monitor with the preview of its schedule, and its deletion. */
export function SettingsTab({ monitor }: TabProps) {
  const { workspace, can } = useWorkspace();
  const { opened, base, form, setForm, take, discard, isChanged } = useOpened(
    monitor,
    (stored) => draftOf(stored, workspace.timezone),
    () => draftOf(monitor, workspace.timezone),
    bodyOf,
  );
  const isAdmin = can('admin');
  const path = { monitor_id: monitor.id };
  const edit = useMutation({
    ...heartbeatMonitorsEditMutation(),
    onSuccess: (saved) => {
      take(saved);
      show(saved);
      say('Saved');
    },
  });
  const save = (body: MonitorEdit, rev: number) => edit.mutate({ path, headers: { 'If-Match': `"${rev}"` }, body });
  const body = bodyOf(form);
  const changed = changes({ ...bodyOf(draftOf(opened ?? monitor, workspace.timezone)) }, { ...body });
  const faults = formFaults(edit.error, FIELDS);
  const lack = missing(form);
  return (
    <div className={classes.settings}>
      <div className={classes.form}>
        <div>
          <EditorForm<MonitorRecord>
            conflict={{
              fault: edit.error,
              noun: 'monitor',
              load: async () => (await heartbeatMonitorsRead({ path, throwOnError: true })).data,
              bodyOf: (latest) => bodyOf(draftOf(latest, workspace.timezone)),
              opened,
              yours: body,
              isSaving: edit.isPending,
              onKeep: (sent, { rev }) => save(sent, rev),
              onTake: (latest) => {
                edit.reset();
                take(latest);
                show(latest);
              },
              onClose: edit.reset,
            }}
            onSave={() => lack === '' && save(changed, (base ?? monitor).rev)}
            noValidate
          >
            <fieldset disabled={!isAdmin} className={styles.fields}>
              <FormSummary faults={faults.rest} />
              <Fields draft={form} onChange={setForm} errors={faults.fields} isStored />
              {isChanged && (
                <Group mt="lg" gap="xs">
                  <SaveButtons
                    label="Save the changes"
                    isSaving={edit.isPending}
                    lack={lack}
                    cancel={() => {
                      edit.reset();
                      discard();
                    }}
                    cancelLabel="Discard"
                    note={changesTiming(changed) ? 'The next ping is expected from now on.' : ''}
                  />
                </Group>
              )}
            </fieldset>
          </EditorForm>
          {isAdmin && <Deletion monitor={monitor} />}
        </div>
        <Preview draft={form} />
      </div>
    </div>
  );
}

/** Returns whether the change counts the next ping from the time of the edit. */
function changesTiming(changed: Record<string, unknown>): boolean {
  return ['schedule', 'graceSeconds', 'maxRuntimeSeconds'].some((name) => name in changed);
}

function Deletion({ monitor }: { monitor: MonitorRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const remove = useMutation({
    ...heartbeatMonitorsRemoveMutation(),
    onSuccess: () => {
      say(`${monitor.name} is deleted.`);
      navigate(href('heartbeats'), { replace: true });
      void refresh('heartbeatMonitorsList');
    },
    onError: sayFault,
  });
  return (
    <DeleteSection noun="monitor" about="To stop it for a while, pause it.">
      <DeleteButton
        noun="monitor"
        name={monitor.name}
        isDeleting={remove.isPending}
        onDelete={() => remove.mutate({ path: { monitor_id: monitor.id } })}
      >
        <Text size="sm">
          Its ping address stops working immediately.{' '}
          {monitor.status === 'down' ? 'Its open incident is resolved.' : 'It has no open incident.'} Its pings and its
          history are removed. Past incidents stay.
        </Text>
      </DeleteButton>
    </DeleteSection>
  );
}
