import { Alert, Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { destinationsRead, type DestinationKindRecord, type DestinationRecord } from '@/api';
import { textOf } from '@/lib/words/text';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import { Conflict } from '@/parts/conflict/Conflict';
import { FormSummary } from '@/parts/ProblemAlert';
import type { Secret } from '@/parts/ShowOnce';
import styles from '@/parts/styles.module.css';
import { ConfigFields } from '@/screens/destinations/ConfigFields';
import { DigestFields } from '@/screens/destinations/DigestFields';
import { comparedOf, type Fields, fieldsOf } from '@/screens/destinations/formFields';
import { entered, faultOf, generated } from '@/screens/destinations/kinds';
import { askAgain } from '@/screens/destinations/secretPlaces';
import { TemplateFields } from '@/screens/destinations/TemplateFields';
import { useSend } from '@/screens/destinations/useSend';

const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value: value, label: `${SEVERITY_WORD[value]} or worse` }));

type Flag = 'enabled' | 'sendUpdates' | 'sendNotes' | 'replaceSecret' | 'onDefaultRoute';
type Box = (name: Flag, label: string, description: string) => ReactNode;
type Props = {
  kind: DestinationKindRecord;
  destination: DestinationRecord | null;
  readOnly: boolean;
  onDone: () => void;
  onSecret: (secret: Secret) => void;
};

/** The settings of a destination of any kind. Secrets that this browser makes are shown once after they are saved. */
export function DestinationForm({ kind, destination, readOnly, onDone, onSecret }: Props) {
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
  const { create, edit, send, focusFirst } = useSend({ kind, destination, opened, form, setRest, onDone, onSecret });
  const submit = form.onSubmit((values) => send(values, opened?.rev), focusFirst);
  const box: Box = (name, label, description) => (
    <Checkbox label={label} description={description} {...form.getInputProps(name, { type: 'checkbox' })} />
  );
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
        <FormFields
          rest={rest}
          destination={destination}
          form={form}
          kind={kind}
          box={box}
          readOnly={readOnly}
          create={create}
          edit={edit}
          onDone={onDone}
        />
      </fieldset>
    </form>
  );
}

type FormFieldsProps = {
  rest: string[];
  destination: DestinationRecord | null;
  form: UseFormReturnType<Fields>;
  kind: DestinationKindRecord;
  box: Box;
  readOnly: boolean;
  create: { isPending: boolean };
  edit: { isPending: boolean };
  onDone: () => void;
};

function FormFields({ rest, destination, form, kind, box, readOnly, create, edit, onDone }: FormFieldsProps) {
  return (
    <Stack>
      <FormSummary faults={rest} />
      {destination?.stopped && (
        <Alert color="red" variant="outline">
          {destination.health.text} Save a change or send a successful test to resume it.
        </Alert>
      )}
      <TextInput label="Name" maxLength={100} required data-autofocus {...form.getInputProps('name')} />
      <ConfigFields fields={entered(kind)} form={form} existing={destination?.config ?? null} />
      <Select
        label="Minimum severity"
        description="Incidents below it are not sent here."
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
        description="Less severe notices wait until quiet hours end."
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
      {box('enabled', 'Enabled', 'When off, nothing is sent and pending deliveries are skipped.')}
      {box('sendUpdates', 'Send updates', 'Also notify when an incident is acknowledged, snoozed or resolved.')}
      {box('sendNotes', 'Send notes', 'Also send notes that people add. Requires updates.')}
      {destination === null &&
        box('onDefaultRoute', 'Add it to the default route', 'Incidents that no rule decides are sent here.')}
      {destination !== null && generated(kind).length > 0 && box('replaceSecret', ...replacement(kind, destination))}
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
