import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { sourcesCreateMutation } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words/words';
import { Modal } from '@/parts/dialogs';
import { FormSummary } from '@/parts/ProblemAlert';
import { fieldBody, type FieldValues, fieldValues, sourceFields } from '@/screens/sources/kinds/fields';
import { FIRST_KIND, KindSelect, useSourceKinds } from '@/screens/sources/kinds/KindSelect';
import { SourceFields, withExtra } from '@/screens/sources/kinds/SourceFields';

export const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value, label: SEVERITY_WORD[value] }));

type Fields = { name: string; defaultSeverity: Severity; extra: FieldValues };
type Props = { opened: boolean; kind: string; onKind: (kind: string) => void; onClose: () => void };

/** A name is enough. The kind decides about further fields, and with which texts the set-up of the new source opens. */
export function NewSource({ opened, kind, onKind, onClose }: Props) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  const [rest, setRest] = useState<string[]>([]);
  const kinds = useSourceKinds() ?? [];
  const fields = sourceFields(kinds, kind);
  const form = useForm<Fields>({
    initialValues: { name: '', defaultSeverity: 'INFO', extra: {} },
    validate: { name: (value) => (value.trim() ? null : 'Enter a name, such as Backups.') },
  });
  const close = () => {
    form.reset();
    setRest([]);
    onClose();
  };
  const create = useMutation({
    ...sourcesCreateMutation(),
    onSuccess: (source) => {
      void refresh('sourcesList');
      navigate(href(`sources/${source.id}${kind === FIRST_KIND ? '' : `?sender=${kind}`}`));
    },
    onError: (fault) => {
      const found = fieldFaults(fault, ['name', 'defaultSeverity', ...fields.map((field) => field.name)]);
      form.setErrors(withExtra(found.fields, fields));
      setRest(found.rest);
    },
  });
  const submit = form.onSubmit(({ name, defaultSeverity, extra }) => {
    const further = fieldBody(fields, { ...fieldValues(fields, null), ...extra });
    create.mutate({ body: { ...further, name: name.trim(), defaultSeverity, workspaceId: workspace.id } });
  });
  return (
    <Modal opened={opened} onClose={close} title="Create a source">
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormSummary faults={rest} />
          {kinds.length > 0 && (
            <KindSelect
              kinds={kinds}
              value={kind}
              onChange={onKind}
              description="What sends the events. A source accepts any sender; this selects the setup instructions."
            />
          )}
          <TextInput
            label="Name"
            description="The sender, such as Backups or Prometheus. Shown in incidents."
            maxLength={100}
            data-autofocus
            required
            {...form.getInputProps('name')}
          />
          <Select
            label="Default severity"
            description="For events without one."
            data={SEVERITY_CHOICES}
            allowDeselect={false}
            {...form.getInputProps('defaultSeverity')}
          />
          <SourceFields fields={fields} kinds={kinds} form={form} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create the source
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
