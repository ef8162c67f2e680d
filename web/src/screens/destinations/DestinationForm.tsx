import { Alert, Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { destinationsRead, type DestinationKindRecord, type DestinationNew, type DestinationRecord } from '@/api';
import { destinationsCreateMutation, destinationsEditMutation } from '@/api/@tanstack/react-query.gen';
import { addToDefaultRoute } from '@/lib/configuration/defaultRoute';
import { fieldFaults, isConflict } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { textOf } from '@/lib/words/text';
import { SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words/words';
import { changes } from '@/parts/conflict/compare';
import { Conflict } from '@/parts/conflict/Conflict';
import { FormSummary } from '@/parts/ProblemAlert';
import type { Secret } from '@/parts/ShowOnce';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';
import { ConfigFields } from '@/screens/destinations/ConfigFields';
import { DigestFields, type DigestEntry, entryOf, settingOf } from '@/screens/destinations/DigestFields';
import { type Config, configOf, entered, faultOf, generated, sentConfig } from '@/screens/destinations/kinds';
import { askAgain } from '@/screens/destinations/secretPlaces';
import { TemplateFields, type TemplateEntry, templateOf, templateSetting } from '@/screens/destinations/TemplateFields';

const NAMES = ['name', 'kind', 'minSeverity', 'quietHoursThreshold', 'digest', 'template.title', 'template.body'];
const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value: value, label: `${SEVERITY_WORD[value]} or worse` }));

type Fields = {
  name: string;
  config: Config;
  enabled: boolean;
  sendUpdates: boolean;
  sendNotes: boolean;
  minSeverity: string;
  quietHoursThreshold: string;
  digest: DigestEntry;
  template: TemplateEntry;
  replaceSecret: boolean;
  onDefaultRoute: boolean;
};
type Props = {
  kind: DestinationKindRecord;
  destination: DestinationRecord | null;
  readOnly: boolean;
  onDone: () => void;
  onSecret: (secret: Secret) => void;
};

function fieldsOf(kind: DestinationKindRecord, existing: DestinationRecord | null): Fields {
  return {
    name: existing?.name ?? '',
    config: configOf(kind, existing),
    enabled: existing?.enabled ?? true,
    sendUpdates: existing?.sendUpdates ?? true,
    sendNotes: existing?.sendNotes ?? true,
    minSeverity: existing?.minSeverity ?? '',
    quietHoursThreshold: existing ? (existing.quietHoursThreshold ?? '') : 'CRITICAL',
    digest: entryOf(existing?.digest),
    template: templateOf(existing?.template),
    replaceSecret: false,
    onDefaultRoute: existing === null,
  };
}

/** What a write sends of the fields, beside `config`. */
function settingsOf(kind: DestinationKindRecord, values: Fields) {
  return {
    name: values.name.trim(),
    enabled: values.enabled,
    sendUpdates: values.sendUpdates,
    sendNotes: values.sendNotes,
    minSeverity: (values.minSeverity || null) as Severity | null,
    quietHoursThreshold: (values.quietHoursThreshold || null) as Severity | null,
    ...(kind.can.digests ? { digest: settingOf(values.digest) } : {}),
    ...(kind.can.templates ? { template: templateSetting(values.template) } : {}),
  };
}

/** The same with the settings of the kind, to compare. Of secrets it has only whether new ones are sent. */
function comparedOf(kind: DestinationKindRecord, values: Fields) {
  const secrets = kind.fields.filter((field) => field.secret).map((field) => field.name);
  const settings = Object.entries(sentConfig(kind, values.config, false).config);
  const isNew = values.replaceSecret || settings.some(([name]) => secrets.includes(name));
  return {
    ...settingsOf(kind, values),
    ...Object.fromEntries(settings.filter(([name]) => !secrets.includes(name))),
    secrets: isNew ? 'New' : 'As stored',
  };
}

/** The settings of a destination of any kind. Secrets that this browser makes are shown once after they are saved. */
export function DestinationForm({ kind, destination, readOnly, onDone, onSecret }: Props) {
  const { workspace } = useWorkspace();
  // The live layer may show a newer record beside the form.
  const [opened, setOpened] = useState(destination);
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm<Fields>({
    initialValues: fieldsOf(kind, destination),
    validate: (values) => ({
      ...(values.name.trim() ? {} : { name: 'Enter a name, such as Pager.' }),
      ...Object.fromEntries(
        entered(kind).map((field) => [
          `config.${field.name}`,
          faultOf(field, values.config[field.name], destination === null) ??
            (opened && askAgain(field, kind.fields, opened.config, values.config)),
        ]),
      ),
    }),
  });
  const create = useMutation({ ...destinationsCreateMutation(), gcTime: 0 });
  const edit = useMutation({ ...destinationsEditMutation(), gcTime: 0 });
  const onError = (fault: unknown) => {
    if (isConflict(fault)) return;
    const found = fieldFaults(fault, [...NAMES, ...entered(kind).map((field) => `config.${field.name}`)]);
    form.setErrors(found.fields);
    setRest(found.rest);
    focusFirst(found.fields);
  };
  /** The form is long: a fault may be far above the button. */
  const focusFirst = (faults: Record<string, unknown>) => {
    const first = ['name', ...kind.fields.map((field) => `config.${field.name}`)].find((path) => faults[path]);
    if (first) form.getInputNode(first)?.focus();
  };
  const send = (values: Fields, rev: number | undefined) => {
    const { config, made } = sentConfig(kind, values.config, destination === null || values.replaceSecret);
    const onSuccess = (saved: DestinationRecord) => {
      say(destination ? 'Saved' : `${saved.name} is created.`);
      for (const { field, secret } of made)
        onSecret({
          label: field.label,
          value: secret,
          fileName: `${kind.kind}-${field.name}.txt`,
          isEncrypted: true,
        });
      if (values.onDefaultRoute && !destination) addToDefaultRoute(saved).catch(sayFault);
      void refresh('destinationsList', 'destinationsRead');
      create.reset();
      edit.reset();
      onDone();
    };
    if (destination && opened) {
      const before = fieldsOf(kind, opened);
      const body = {
        ...changes(settingsOf(kind, before), settingsOf(kind, values)),
        config: changes(sentConfig(kind, before.config, false).config, config),
      };
      const headers = { 'If-Match': `"${rev}"` };
      edit.mutate({ path: { destination_id: destination.id }, headers, body }, { onSuccess, onError });
    } else {
      const made = { kind: kind.kind as DestinationNew['kind'], workspaceId: workspace.id };
      create.mutate({ body: { ...settingsOf(kind, values), config, ...made } }, { onSuccess, onError });
    }
  };
  const submit = form.onSubmit((values) => send(values, opened?.rev), focusFirst);
  const box = (
    name: 'enabled' | 'sendUpdates' | 'sendNotes' | 'replaceSecret' | 'onDefaultRoute',
    label: string,
    description: string,
  ) => <Checkbox label={label} description={description} {...form.getInputProps(name, { type: 'checkbox' })} />;
  return (
    <form onSubmit={submit} noValidate>
      {destination && (
        <Conflict
          fault={edit.error}
          noun="destination"
          load={async () =>
            (await destinationsRead({ path: { destination_id: destination.id }, throwOnError: true })).data
          }
          bodyOf={(latest) => comparedOf(kind, fieldsOf(kind, latest))}
          opened={opened}
          yours={comparedOf(kind, form.values)}
          isSaving={edit.isPending}
          onKeep={(_, latest) => send(form.values, latest.rev)}
          onTake={(latest) => {
            setOpened(latest);
            form.setInitialValues(fieldsOf(kind, latest));
            form.setValues(fieldsOf(kind, latest));
            edit.reset();
          }}
          onClose={edit.reset}
        />
      )}
      <fieldset disabled={readOnly} className={styles.group}>
        <Stack>
          <FormSummary faults={rest} />
          {destination?.stopped && (
            <Alert color="red" variant="outline">
              {destination.health.text} Saving a change, or a test that is accepted, resumes it.
            </Alert>
          )}
          <TextInput label="Name" maxLength={100} required data-autofocus {...form.getInputProps('name')} />
          <ConfigFields fields={entered(kind)} form={form} existing={destination?.config ?? null} />
          <Select
            label="Least severity"
            description="Incidents below it cause no notice here."
            placeholder="All"
            clearable
            clearButtonProps={{ 'aria-label': 'Clear' }}
            data={SEVERITY_CHOICES}
            value={form.values.minSeverity || null}
            onChange={(value) => form.setFieldValue('minSeverity', value ?? '')}
            error={form.errors.minSeverity}
          />
          <Select
            label="During quiet hours"
            description="What is below it waits for their end."
            placeholder="Quiet hours do not apply"
            clearable
            clearButtonProps={{ 'aria-label': 'Clear' }}
            data={SEVERITY_CHOICES}
            value={form.values.quietHoursThreshold || null}
            onChange={(value) => form.setFieldValue('quietHoursThreshold', value ?? '')}
            error={form.errors.quietHoursThreshold}
          />
          {kind.can.templates && (
            <TemplateFields
              entry={form.values.template}
              errors={{ title: form.errors['template.title'], body: form.errors['template.body'] }}
              onChange={(entry) => form.setFieldValue('template', entry)}
            />
          )}
          {kind.can.digests && (
            <DigestFields
              entry={form.values.digest}
              error={form.errors.digest}
              onChange={(entry) => form.setFieldValue('digest', entry)}
            />
          )}
          {box('enabled', 'Enabled', 'Otherwise nothing is sent, and waiting deliveries are skipped.')}
          {box('sendUpdates', 'Send updates', 'Also when an incident is acknowledged, snoozed or resolved.')}
          {box('sendNotes', 'Send notes', 'Also notes that people write. It needs updates.')}
          {destination === null &&
            box('onDefaultRoute', 'Add it to the default route', 'Incidents that no rule decides are sent to it.')}
          {destination !== null &&
            generated(kind).length > 0 &&
            box('replaceSecret', ...replacement(kind, destination))}
          {!readOnly && (
            <Group>
              <Button
                type="submit"
                loading={create.isPending || edit.isPending}
                disabled={destination !== null && !form.isDirty()}
              >
                {destination ? 'Save the changes' : 'Create the destination'}
              </Button>
              <Button variant="default" onClick={onDone}>
                Cancel
              </Button>
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}

/** Label and help of the box that replaces what this browser made. */
function replacement(kind: DestinationKindRecord, { config }: DestinationRecord): [string, string] {
  const fields = generated(kind);
  const names = fields.map((field) => {
    const end = textOf(field.hintName ? config[field.hintName] : '');
    return `${field.label.toLowerCase()}${end ? ` (${end})` : ''}`;
  });
  return [`Replace the ${names.join(' and the ')}`, fields.map((field) => field.help).join(' ')];
}
