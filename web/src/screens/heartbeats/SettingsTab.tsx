import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { heartbeatMonitorsRead, type MonitorRecord } from '@/api';
import { heartbeatMonitorsEditMutation, heartbeatMonitorsRemoveMutation } from '@/api/@tanstack/react-query.gen';
import { fieldFaults, isConflict } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { Answers } from '@/parts/Answers';
import { changes } from '@/parts/conflict/compare';
import { Conflict } from '@/parts/conflict/Conflict';
import { Modal } from '@/parts/dialogs';
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
  const [stored, setStored] = useState(monitor);
  const [draft, setDraft] = useState(() => draftOf(monitor, workspace.timezone));
  const isAdmin = can('admin');
  const edit = useMutation({
    ...heartbeatMonitorsEditMutation(),
    onSuccess: (saved) => {
      setStored(saved);
      setDraft(draftOf(saved, workspace.timezone));
      show(saved);
      say('Saved');
    },
  });
  const body = bodyOf(draft);
  const before = bodyOf(draftOf(stored, workspace.timezone));
  const changed = changes({ ...before }, { ...body });
  const isChanged = Object.keys(changed).length > 0;
  const isCurrent = JSON.stringify(bodyOf(draftOf(monitor, workspace.timezone))) === JSON.stringify(before);
  const faults = edit.error && !isConflict(edit.error) ? fieldFaults(edit.error, FIELDS) : { fields: {}, rest: [] };
  const lack = missing(draft);
  const discard = () => {
    edit.reset();
    setStored(monitor);
    setDraft(draftOf(monitor, workspace.timezone));
  };
  const follow = useEffectEvent(() => {
    // Somebody else saved: a form without changes of its own follows.
    if (!isCurrent && !isChanged) discard();
  });
  useEffect(() => follow(), [monitor.rev]);
  const take = (latest: MonitorRecord) => {
    edit.reset();
    setStored(latest);
    setDraft(draftOf(latest, workspace.timezone));
    show(latest);
  };
  const path = { monitor_id: monitor.id };
  return (
    <div className={classes.settings}>
      <Conflict
        fault={edit.error}
        noun="monitor"
        load={async () => (await heartbeatMonitorsRead({ path, throwOnError: true })).data}
        bodyOf={(latest) => bodyOf(draftOf(latest, workspace.timezone))}
        opened={stored}
        yours={body}
        isSaving={edit.isPending}
        onKeep={(sent, { rev }) => edit.mutate({ path, headers: { 'If-Match': `"${rev}"` }, body: sent })}
        onTake={take}
        onClose={edit.reset}
      />
      <div className={classes.form}>
        <Stack gap="xl">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (lack === '')
                edit.mutate({
                  path: { monitor_id: monitor.id },
                  headers: { 'If-Match': `"${isCurrent ? monitor.rev : stored.rev}"` },
                  body: changed,
                });
            }}
            noValidate
          >
            <fieldset disabled={!isAdmin} className={styles.fields}>
              <FormSummary faults={faults.rest} />
              <Fields draft={draft} onChange={setDraft} errors={faults.fields} isStored />
              {isChanged && <SaveButtons edit={edit} lack={lack} discard={discard} changed={changed} />}
            </fieldset>
          </form>
          {isAdmin && <Deletion monitor={monitor} />}
        </Stack>
        <Preview draft={draft} />
      </div>
    </div>
  );
}

type SaveButtonsProps = {
  edit: { isPending: boolean };
  lack: string;
  discard: () => void;
  changed: Record<string, unknown>;
};

function SaveButtons({ edit, lack, discard, changed }: SaveButtonsProps) {
  return (
    <Group mt="lg" gap="xs">
      <Button type="submit" loading={edit.isPending} disabled={lack !== ''} mih="var(--target)">
        Save the changes
      </Button>
      <Button variant="default" onClick={discard} mih="var(--target)">
        Discard
      </Button>
      <Text size="sm" className="soft">
        {lack || (changesTiming(changed) ? 'The next ping is expected from now on.' : '')}
      </Text>
    </Group>
  );
}

/** Returns whether the change counts the next ping from the time of the edit. */
function changesTiming(changed: Record<string, unknown>): boolean {
  return ['schedule', 'graceSeconds', 'maxRuntimeSeconds'].some((name) => name in changed);
}

function Deletion({ monitor }: { monitor: MonitorRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
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
    <section>
      <Title order={2} mb={4}>
        Delete this monitor
      </Title>
      <Text size="sm" className="soft" mb="xs">
        To stop it for a while, pause it.
      </Text>
      <Button variant="outline" color="red" mih="var(--target)" onClick={() => setOpen(true)}>
        Delete the monitor
      </Button>
      <Modal opened={isOpen} onClose={close} title={`Delete ${monitor.name}`}>
        <Text size="sm">
          Its ping address is refused at once.{' '}
          {monitor.status === 'down' ? 'Its open incident resolves.' : 'It has no open incident.'} Its pings and its
          history are removed. Past incidents stay.
        </Text>
        <Answers
          label="Delete the monitor"
          color="red"
          busy={remove.isPending}
          onCancel={close}
          onConfirm={() => remove.mutate({ path: { monitor_id: monitor.id } })}
        />
      </Modal>
    </section>
  );
}
