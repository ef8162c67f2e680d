import { Alert, Button, Checkbox, Group, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { Send } from 'lucide-react';
import { destinationsRead, type DestinationKindRecord, type DestinationRecord } from '@/api';
import { useFaults } from '@/lib/forms/useFaults';
import type { FieldFaults } from '@/lib/requests/problems';
import { localText } from '@/lib/time/localText';
import { textOf } from '@/lib/words/text';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import { useOpened } from '@/parts/conflict/useOpened';
import { EditorForm } from '@/parts/editor/EditorForm';
import { SaveButtons } from '@/parts/editor/SaveButtons';
import { FormSummary } from '@/parts/ProblemAlert';
import type { Secret } from '@/parts/ShowOnce';
import styles from '@/parts/styles.module.css';
import { ConfigFields } from '@/screens/destinations/ConfigFields';
import { DigestFields } from '@/screens/destinations/DigestFields';
import { comparedOf, faultsOf, type Fields, fieldsOf } from '@/screens/destinations/formFields';
import { generated } from '@/screens/destinations/kinds';
import { configInMode, fieldsInMode } from '@/screens/destinations/modes';
import { TestResult } from '@/screens/destinations/TestResult';
import { TemplateFields } from '@/screens/destinations/TemplateFields';
import { useSend } from '@/screens/destinations/useSend';

const SEVERITY_CHOICES = SEVERITIES.map((value) => ({
  value: value,
  label: value === 'CRITICAL' ? 'Critical only' : `${SEVERITY_WORD[value]} or worse`,
}));

type Flag =
  'enabled' | 'sendUpdates' | 'sendNotes' | 'includeDetails' | 'forContactMethods' | 'replaceSecret' | 'onDefaultRoute';
type Props = {
  kind: DestinationKindRecord;
  destination: DestinationRecord | null;
  readOnly: boolean;
  /** The name that a new destination keeps when another kind is chosen. */
  name: string;
  onName: (name: string) => void;
  onDone: () => void;
  onSecret: (secret: Secret) => void;
};

/** The settings of a destination of any kind. Secrets that this browser makes are shown once after they are saved. */
export function DestinationForm({ kind, destination, readOnly, name, onName, onDone, onSecret }: Props) {
  const { opened, base, form, setForm, take, isChanged } = useOpened(
    destination,
    (stored) => fieldsOf(kind, stored),
    () => ({ ...fieldsOf(kind, null), name }),
  );
  const { element, faults, setFaults } = useFaults(form);
  const { create, edit, send, test, sendTest } = useSend({ kind, opened, form, setFaults, onDone, onSecret });
  const change = (next: Fields) => {
    if (destination === null && next.name !== form.name) onName(next.name);
    setForm(next);
  };
  const whenComplete = (act: () => void) => {
    const fields = faultsOf(kind, opened, form);
    if (Object.keys(fields).length > 0) setFaults({ fields, rest: [] });
    else act();
  };
  return (
    <EditorForm<DestinationRecord>
      conflict={
        opened && {
          fault: edit.error,
          noun: 'destination',
          load: async () => (await destinationsRead({ path: { destination_id: opened.id }, throwOnError: true })).data,
          bodyOf: (latest) => comparedOf(kind, fieldsOf(kind, latest)),
          opened,
          yours: comparedOf(kind, form),
          isSaving: edit.isPending,
          onKeep: (_, latest) => send(latest.rev),
          onTake: (latest) => {
            take(latest);
            edit.reset();
          },
          onClose: edit.reset,
        }
      }
      onSave={() => whenComplete(() => send(base?.rev))}
      noValidate
      element={element}
    >
      <fieldset disabled={readOnly} className={styles.fields}>
        <Stack>
          <FormSummary faults={faults.rest} />
          <FormFields kind={kind} destination={destination} form={form} onChange={change} faults={faults.fields} />
          {!readOnly && (
            <Group>
              <SaveButtons
                label={destination ? 'Save the changes' : 'Create the destination'}
                isSaving={create.isPending || edit.isPending}
                isIdle={!isChanged}
                cancel={onDone}
              />
              {/* A secret that is made at the save cannot be verified before. */}
              {destination === null && generated(kind).length === 0 && (
                <Button
                  variant="default"
                  leftSection={<Send size={15} aria-hidden />}
                  loading={test.isPending}
                  onClick={() => whenComplete(sendTest)}
                >
                  Send a test
                </Button>
              )}
            </Group>
          )}
          <div aria-live="polite">{test.data && <TestResult receipt={test.data} />}</div>
        </Stack>
      </fieldset>
    </EditorForm>
  );
}

type FieldsProps = {
  kind: DestinationKindRecord;
  destination: DestinationRecord | null;
  form: Fields;
  onChange: (form: Fields) => void;
  faults: FieldFaults['fields'];
};

function FormFields({ kind, destination, form, onChange, faults }: FieldsProps) {
  return (
    <>
      {destination?.stopped && (
        <Alert color="red" variant="outline">
          {localText(destination.health.text)} Save a change or send a successful test to resume it.
        </Alert>
      )}
      <TextInput
        label="Name"
        maxLength={100}
        required
        data-autofocus
        autoFocus={!destination}
        value={form.name}
        onChange={(event) => onChange({ ...form, name: event.currentTarget.value })}
        error={faults.name}
      />
      {kind.modes.length > 0 && (
        <SegmentedControl
          aria-label="Connection"
          data={kind.modes.map((mode) => mode.label)}
          value={form.mode}
          onChange={(mode) => onChange({ ...form, mode, config: configInMode(kind, mode, form.config, destination) })}
        />
      )}
      <ConfigFields
        fields={fieldsInMode(kind, form.mode, destination === null)}
        values={form.config}
        faults={faults}
        onChange={(config) => onChange({ ...form, config })}
        existing={destination?.config ?? null}
      />
      <Select
        label="Minimum severity"
        description="Incidents below it are not sent here."
        placeholder="All"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear' }}
        data={SEVERITY_CHOICES}
        value={form.minSeverity || null}
        onChange={(value) => onChange({ ...form, minSeverity: value ?? '' })}
        error={faults.minSeverity}
      />
      <Select
        label="During quiet hours"
        description="Lower severities wait until quiet hours end."
        placeholder="Quiet hours do not apply"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear' }}
        data={SEVERITY_CHOICES}
        value={form.quietHoursThreshold || null}
        onChange={(value) => onChange({ ...form, quietHoursThreshold: value ?? '' })}
        error={faults.quietHoursThreshold}
      />
      {kind.can.templates && (
        <TemplateFields
          entry={form.template}
          errors={{ title: faults['template.title'], body: faults['template.body'] }}
          onChange={(template) => onChange({ ...form, template })}
        />
      )}
      {kind.can.digests && (
        <DigestFields entry={form.digest} error={faults.digest} onChange={(digest) => onChange({ ...form, digest })} />
      )}
      <Boxes kind={kind} destination={destination} form={form} onChange={onChange} />
    </>
  );
}

/** The settings that are on or off. */
function Boxes({ kind, destination, form, onChange }: Omit<FieldsProps, 'faults'>) {
  const box = (name: Flag, label: string, description: string) => (
    <Checkbox
      label={label}
      description={description}
      checked={form[name]}
      onChange={(event) => onChange({ ...form, [name]: event.currentTarget.checked })}
    />
  );
  return (
    <>
      {box('enabled', 'Enabled', 'When off, nothing is sent and pending deliveries are skipped.')}
      {box('sendUpdates', 'Send updates', 'Also notify when an incident is acknowledged, snoozed or resolved.')}
      {box('sendNotes', 'Send notes', 'Also send notes that people add. Requires “Send updates”.')}
      {box('includeDetails', 'Include details', 'Messages have the text, the tags and the links of the newest event.')}
      {kind.contactField !== null &&
        box(
          'forContactMethods',
          'Members may add it as a contact method',
          'Members enter an address of their own in their account, and are paged through this destination.',
        )}
      {destination === null &&
        box('onDefaultRoute', 'Add it to the default route', 'Incidents that no rule matches are sent here.')}
      {destination !== null && generated(kind).length > 0 && box('replaceSecret', ...replacement(kind, destination))}
    </>
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
