import { Alert, Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { destinationsCreateMutation, destinationsEditMutation } from '@/api/@tanstack/react-query.gen';
import type { DestinationRecord } from '@/api';
import { useWorkspace } from '@/app/workspace';
import { addToDefaultRoute } from '@/lib/defaultRoute';
import { fieldFaults } from '@/lib/problems';
import { refresh } from '@/lib/refresh';
import { SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words';
import { textOf } from '@/lib/text';
import { FormSummary } from '@/parts/ProblemAlert';
import type { Secret } from '@/parts/ShowOnce';
import { say, sayFault } from '@/parts/toast';
import { newSecret } from '@/screens/destinations/secret';

const NAMES = ['name', 'config.url', 'minSeverity', 'quietHoursThreshold'] as const;
const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value: value, label: `${SEVERITY_WORD[value]} or worse` }));

type Fields = {
  name: string;
  config: { url: string };
  enabled: boolean;
  sendUpdates: boolean;
  sendNotes: boolean;
  minSeverity: string;
  quietHoursThreshold: string;
  replaceSecret: boolean;
  onDefaultRoute: boolean;
};
type Props = {
  destination: DestinationRecord | null;
  readOnly: boolean;
  onDone: () => void;
  onSecret: (secret: Secret) => void;
};

function fieldsOf(known: DestinationRecord | null): Fields {
  return {
    name: known?.name ?? '',
    config: { url: textOf(known?.config.url) },
    enabled: known?.enabled ?? true,
    sendUpdates: known?.sendUpdates ?? true,
    sendNotes: known?.sendNotes ?? true,
    minSeverity: known?.minSeverity ?? '',
    quietHoursThreshold: known ? (known.quietHoursThreshold ?? '') : 'CRITICAL',
    replaceSecret: false,
    onDefaultRoute: known === null,
  };
}

/** The settings of a signed webhook. Its secret is made in this browser and shown once after it is saved. */
export function DestinationForm({ destination, readOnly, onDone, onSecret }: Props) {
  const { workspace } = useWorkspace();
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm<Fields>({
    initialValues: fieldsOf(destination),
    validate: {
      name: (value) => (value.trim() ? null : 'Enter a name, such as Pager.'),
      config: {
        url: (value) =>
          /^https?:\/\/./i.test(value.trim())
            ? null
            : 'Enter an address that begins with https://, or http:// in a private network.',
      },
    },
  });
  const create = useMutation({ ...destinationsCreateMutation(), gcTime: 0 });
  const edit = useMutation({ ...destinationsEditMutation(), gcTime: 0 });
  const onError = (fault: unknown) => {
    const found = fieldFaults(fault, NAMES);
    form.setErrors(found.fields);
    setRest(found.rest);
  };
  const submit = form.onSubmit((values) => {
    const secret = destination === null || values.replaceSecret ? newSecret() : null;
    const body = {
      name: values.name.trim(),
      enabled: values.enabled,
      sendUpdates: values.sendUpdates,
      sendNotes: values.sendNotes,
      minSeverity: (values.minSeverity || null) as Severity | null,
      quietHoursThreshold: (values.quietHoursThreshold || null) as Severity | null,
      config: { url: values.config.url.trim(), ...(secret ? { secret } : {}) },
    };
    const onSuccess = (saved: DestinationRecord) => {
      say(destination ? 'Saved' : `${saved.name} is created.`);
      if (secret) onSecret({ label: 'Signing secret', value: secret, fileName: 'webhook-secret.txt' });
      if (values.onDefaultRoute && !destination) addToDefaultRoute(saved).catch(sayFault);
      void refresh('destinationsList', 'destinationsRead');
      create.reset();
      edit.reset();
      onDone();
    };
    if (destination)
      edit.mutate(
        { path: { destination_id: destination.id }, headers: { 'If-Match': `"${destination.rev}"` }, body },
        { onSuccess, onError },
      );
    else create.mutate({ body: { ...body, kind: 'webhook', workspaceId: workspace.id } }, { onSuccess, onError });
  });
  const box = (
    name: 'enabled' | 'sendUpdates' | 'sendNotes' | 'replaceSecret' | 'onDefaultRoute',
    label: string,
    description: string,
  ) => <Checkbox label={label} description={description} {...form.getInputProps(name, { type: 'checkbox' })} />;
  return (
    <form onSubmit={submit} noValidate>
      <fieldset disabled={readOnly} style={{ border: 0, padding: 0, margin: 0 }}>
        <Stack>
          <FormSummary faults={rest} />
          {destination?.stopped && (
            <Alert color="red" variant="outline">
              {destination.health.text} Saving a change, or a test that is accepted, resumes it.
            </Alert>
          )}
          <TextInput label="Name" maxLength={100} required data-autofocus {...form.getInputProps('name')} />
          <TextInput
            label="Address"
            description="https, or http to a private address. The service posts each notice to it."
            type="url"
            inputMode="url"
            required
            placeholder="https://example.org/hooks/inbox"
            {...form.getInputProps('config.url')}
          />
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
          {box('enabled', 'Enabled', 'Otherwise nothing is sent, and waiting deliveries are skipped.')}
          {box('sendUpdates', 'Send updates', 'Also when an incident is acknowledged, snoozed or resolved.')}
          {box('sendNotes', 'Send notes', 'Also notes that people write. It needs updates.')}
          {destination
            ? box(
                'replaceSecret',
                `Replace the secret${destination.config.secretHint ? ` (…${textOf(destination.config.secretHint)})` : ''}`,
                'The old secret stops verifying the moment you save.',
              )
            : box('onDefaultRoute', 'Add it to the default route', 'Incidents that no rule decides are sent to it.')}
          {!readOnly && (
            <Group>
              <Button
                type="submit"
                loading={create.isPending || edit.isPending}
                disabled={destination !== null && !form.isDirty()}
              >
                {destination ? 'Save the changes' : 'Create the webhook'}
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
