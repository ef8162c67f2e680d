import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { SourceKindField } from '@/api';
import { sourcesCreateMutation } from '@/api/@tanstack/react-query.gen';
import { useFaults } from '@/lib/forms/useFaults';
import { type FieldFaults, formFaults, NO_FAULTS } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words/words';
import { Modal } from '@/parts/dialogs';
import { EditorForm } from '@/parts/editor/EditorForm';
import { FormSummary } from '@/parts/ProblemAlert';
import { fieldBody, type FieldValues, fieldValues, sourceFields } from '@/screens/sources/kinds/fields';
import { FIRST_KIND, KindSelect, useSourceKinds } from '@/screens/sources/kinds/KindSelect';
import { SourceFields, withExtra } from '@/screens/sources/kinds/SourceFields';

export const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value, label: SEVERITY_WORD[value] }));

type Fields = { name: string; defaultSeverity: Severity; extra: FieldValues };
const EMPTY: Fields = { name: '', defaultSeverity: 'WARNING', extra: {} };

type Props = { opened: boolean; kind: string; onKind: (kind: string) => void; onClose: () => void };

/** A name is enough. The kind decides about further fields, and with which texts the set-up of the new source opens. */
export function NewSource({ opened, kind, onKind, onClose }: Props) {
  const { workspace } = useWorkspace();
  const kinds = useSourceKinds() ?? [];
  const fields = sourceFields(kinds, kind);
  const [form, setForm] = useState(EMPTY);
  const values = { ...fieldValues(fields, null), ...form.extra };
  const { element, faults, setFaults } = useFaults(form);
  const close = () => {
    setForm(EMPTY);
    setFaults(NO_FAULTS);
    onClose();
  };
  const create = useCreate(kind, fields, setFaults);
  const save = () => {
    const name = form.name.trim();
    if (!name) return setFaults({ fields: { name: 'Enter a name, such as Backups.' }, rest: [] });
    const further = fieldBody(fields, values);
    create.mutate({
      body: { ...further, name, defaultSeverity: form.defaultSeverity, workspaceId: workspace.id },
    });
  };
  return (
    <Modal opened={opened} onClose={close} title="New source">
      <EditorForm conflict={null} onSave={save} noValidate element={element}>
        <Stack>
          <FormSummary faults={faults.rest} />
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
            value={form.name}
            onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
            error={faults.fields.name}
          />
          <Select
            label="Default severity"
            description="For events without one. Info opens no incident."
            data={SEVERITY_CHOICES}
            allowDeselect={false}
            value={form.defaultSeverity}
            onChange={(value) => setForm({ ...form, defaultSeverity: value as Severity })}
            error={faults.fields.defaultSeverity}
          />
          <SourceFields
            fields={fields}
            kinds={kinds}
            values={values}
            faults={faults.fields}
            onChange={(extra) => setForm({ ...form, extra })}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create the source
            </Button>
          </Group>
        </Stack>
      </EditorForm>
    </Modal>
  );
}

/** Creates a source and opens its set-up with the texts of the kind. */
function useCreate(kind: string, fields: readonly SourceKindField[], setFaults: (faults: FieldFaults) => void) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  return useMutation({
    ...sourcesCreateMutation(),
    onSuccess: (source) => {
      void refresh('sourcesList');
      navigate(href(`sources/${source.id}${kind === FIRST_KIND ? '' : `?sender=${kind}`}`));
    },
    onError: (fault) => {
      const found = formFaults(fault, ['name', 'defaultSeverity', ...fields.map((field) => field.name)]);
      setFaults({ ...found, fields: withExtra(found.fields, fields) });
    },
  });
}
