import { Button, Group, Select, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { workspacesRead, type WorkspaceRecord } from '@/api';
import { destinationsListOptions, workspacesChangeMutation } from '@/api/@tanstack/react-query.gen';
import { changeOf, type SettingsFormType, type Values, valuesOf, wordsOf } from '@/lib/configuration/workspaceSettings';
import { fieldFaults, isConflict } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { Conflict } from '@/parts/conflict/Conflict';
import { LeaveGuard } from '@/parts/editor/LeaveGuard';
import { KeptByFile } from '@/parts/KeptByFile';
import { FormSummary } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { ZoneSelect } from '@/parts/ZoneSelect';
import { Amount } from '@/screens/settings/Amount';
import { Minutes } from '@/screens/settings/Minutes';
import { QuietHoursFields } from '@/screens/settings/QuietHoursFields';
import classes from '@/screens/settings/Settings.module.css';

const RETAINED = [
  ['eventDays', 'Events'],
  ['incidentDays', 'Resolved incidents'],
  ['deliveryDays', 'Deliveries'],
  ['auditDays', 'Audit entries'],
] as const;
const DAILY = [
  ['smsPerPerson', 'SMS to one person', 'messages'],
  ['smsPerWorkspace', 'SMS of the workspace', 'messages'],
  ['callsPerPerson', 'Calls to one person', 'calls'],
  ['callsPerWorkspace', 'Calls of the workspace', 'calls'],
] as const;
const FIELD_NAMES = [
  'name',
  'timezone',
  'settings.reopenWindowMinutes',
  'settings.reoccurQuietMinutes',
  'settings.joinedQuietMinutes',
  'settings.autoResolveMinutes',
  'settings.ackTimeoutMinutes',
  'settings.renotifyMax',
  'settings.renotifyMinutes.CRITICAL',
  'settings.renotifyMinutes.ERROR',
  'settings.renotifyMinutes.WARNING',
  'settings.fallbackDestinationId',
  'settings.requireMfa',
  ...DAILY.map(([name]) => `settings.dailyMessages.${name}`),
  'settings.retention.eventDays',
  'settings.retention.incidentDays',
  'settings.retention.deliveryDays',
  'settings.retention.auditDays',
];

/**
 * One form, saved by one button that appears when something has changed.
 * A changed form keeps the record that it began with: the live layer may show a newer one beside it.
 */
export function SettingsForm() {
  const { workspace, can } = useWorkspace();
  const [rest, setRest] = useState<string[]>([]);
  const [opened, setOpened] = useState(workspace);
  const form = useForm<Values>({
    initialValues: valuesOf(workspace),
    validate: { name: (value) => (value.trim() ? null : 'Enter a name.') },
  });
  const dirty = form.isDirty();
  const take = (latest: WorkspaceRecord) => {
    setOpened(latest);
    form.setInitialValues(valuesOf(latest));
    form.setValues(valuesOf(latest));
    setRest([]);
  };
  const follow = useEffectEvent(() => {
    if (!dirty) take(workspace);
  });
  useEffect(() => follow(), [workspace.rev]);
  const save = useMutation({
    ...workspacesChangeMutation(),
    onSuccess: (saved) => {
      take(saved);
      say('Settings saved');
      void refresh('workspacesList');
    },
    onError: (fault) => {
      if (isConflict(fault)) return;
      const found = fieldFaults(fault, FIELD_NAMES);
      form.setErrors(found.fields);
      setRest(found.rest);
    },
  });
  const path = { workspace_id: workspace.id };
  const send = (values: Values, rev: number) =>
    save.mutate({ path, headers: { 'If-Match': `"${rev}"` }, body: changeOf(valuesOf(opened), values) });
  const submit = form.onSubmit((values) => {
    setRest([]);
    send(values, opened.rev);
  });
  return (
    <form onSubmit={submit} noValidate>
      <LeaveGuard isUnsaved={dirty && !save.isPending} />
      <div className={styles.inset}>
        <KeptByFile id={workspace.id} />
      </div>
      <Conflict
        fault={save.error}
        noun="workspace"
        load={async () => (await workspacesRead({ path, throwOnError: true })).data}
        bodyOf={(latest) => wordsOf(valuesOf(latest))}
        opened={opened}
        yours={wordsOf(form.values)}
        isSaving={save.isPending}
        onKeep={(_, latest) => send(form.values, latest.rev)}
        onTake={(latest) => {
          take(latest);
          save.reset();
        }}
        onClose={save.reset}
      />
      <fieldset disabled={!can('admin')} className={styles.fields}>
        <General form={form} disabled={!can('admin')} />
        <Notices form={form} />
        <QuietHoursFields form={form} disabled={!can('admin')} />
        <DailyMessages form={form} />
        <Retention form={form} />
      </fieldset>
      <FormSummary faults={rest} />
      {dirty && (
        <SaveBar isSaving={save.isPending} onDiscard={() => take(workspace.rev > opened.rev ? workspace : opened)} />
      )}
    </form>
  );
}

function SaveBar({ isSaving, onDiscard }: { isSaving: boolean; onDiscard: () => void }) {
  return (
    <Group p="md" className={classes.saveBar}>
      <Button type="submit" loading={isSaving}>
        Save the settings
      </Button>
      <Button variant="default" onClick={onDiscard}>
        Discard
      </Button>
    </Group>
  );
}

type RetentionProps = {
  form: SettingsFormType;
};

function Retention({ form }: RetentionProps) {
  return (
    <SettingsSection
      id="retention"
      title="Retention"
      about="Older records are removed every hour. Open incidents stay."
    >
      {RETAINED.map(([name, label]) => (
        <Amount key={name} label={label} unit="days" least={1} {...form.getInputProps(`settings.retention.${name}`)} />
      ))}
    </SettingsSection>
  );
}

/** What calls and text messages to members may cost. */
function DailyMessages({ form }: RetentionProps) {
  return (
    <SettingsSection
      id="daily-messages"
      title="SMS and calls a day"
      about="Pages by SMS and calls beyond a limit are not sent until midnight UTC. Push, mail and other methods go on. 0: none."
    >
      {DAILY.map(([name, label, unit]) => (
        <Amount key={name} label={label} unit={unit} {...form.getInputProps(`settings.dailyMessages.${name}`)} />
      ))}
    </SettingsSection>
  );
}

function General({ form, disabled }: { form: SettingsFormType; disabled: boolean }) {
  const { workspace } = useWorkspace();
  return (
    <SettingsSection
      id="general"
      title="General"
      about={
        <>
          Links use <span className="mono">/w/{workspace.slug}</span>, which never changes.
        </>
      }
    >
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <ZoneSelect
        value={form.values.timezone}
        error={form.errors.timezone}
        disabled={disabled}
        onChange={(zone) => form.setFieldValue('timezone', zone)}
      />
      <Switch
        label="Require a second factor"
        description="Members without one lose access until they set one up. You need one to turn this on."
        mih="var(--target)"
        error={form.errors['settings.requireMfa']}
        checked={form.values.settings.requireMfa}
        onChange={(event) => form.setFieldValue('settings.requireMfa', event.currentTarget.checked)}
      />
    </SettingsSection>
  );
}

function Notices({ form }: { form: SettingsFormType }) {
  const { workspace } = useWorkspace();
  const destinations = useQuery(destinationsListOptions({ query: { workspaceId: workspace.id, limit: 200 } }));
  const choices = (destinations.data?.items ?? []).map((each) => ({ value: each.id, label: each.name }));
  const props = (name: string) => form.getInputProps(`settings.${name}`);
  return (
    <SettingsSection
      id="defaults"
      title="Incidents and notifications"
      about="Used where no rule or profile sets another value. 0 means never, unless stated otherwise."
    >
      <Minutes
        label="Reopen within"
        about="A new event reopens an incident that was resolved within this time."
        {...props('reopenWindowMinutes')}
      />
      <Minutes
        label="Notify again after silence of"
        about="A repeat notifies after this long without an event. 0: every repeat."
        {...props('reoccurQuietMinutes')}
      />
      <Minutes
        label="Collect further alerts for"
        about="Alerts that join an incident within this time after such a notification share the next one. 0: no pause."
        {...props('joinedQuietMinutes')}
      />
      <Minutes label="Auto-resolve after no events for" {...props('autoResolveMinutes')} />
      <Minutes label="Unacknowledge after" {...props('ackTimeoutMinutes')} />
      <Minutes label="Remind every (critical)" {...props('renotifyMinutes.CRITICAL')} />
      <Minutes label="Remind every (error)" {...props('renotifyMinutes.ERROR')} />
      <Minutes label="Remind every (warning)" {...props('renotifyMinutes.WARNING')} />
      <Amount label="Max reminders" unit="reminders" {...props('renotifyMax')} />
      <Select
        label="Fallback destination"
        description="Used when every other delivery fails."
        placeholder="None"
        clearable
        data={choices}
        clearButtonProps={{ 'aria-label': 'No fallback destination' }}
        {...props('fallbackDestinationId')}
      />
    </SettingsSection>
  );
}
