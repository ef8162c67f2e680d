import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { sourcesCreateMutation } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/app/workspace';
import { fieldFaults } from '@/lib/problems';
import { refresh } from '@/lib/refresh';
import { SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words';
import { FormSummary } from '@/parts/ProblemAlert';

const NAMES = ['name', 'defaultSeverity'] as const;
export const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value, label: SEVERITY_WORD[value] }));

/** A name and a severity are enough; the new source opens with its set-up. */
export function NewSource({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { workspace, href } = useWorkspace();
  const [, navigate] = useLocation();
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm<{ name: string; defaultSeverity: Severity }>({
    initialValues: { name: '', defaultSeverity: 'INFO' },
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
      navigate(href(`sources/${source.id}`));
    },
    onError: (fault) => {
      const found = fieldFaults(fault, NAMES);
      form.setErrors(found.fields);
      setRest(found.rest);
    },
  });
  const submit = form.onSubmit((values) =>
    create.mutate({ body: { ...values, name: values.name.trim(), workspaceId: workspace.id } }),
  );
  return (
    <Modal opened={opened} onClose={close} title="Create a source">
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormSummary faults={rest} />
          <TextInput
            label="Name"
            description="The sender, such as Backups or Prometheus. Incidents show it."
            maxLength={100}
            data-autofocus
            required
            {...form.getInputProps('name')}
          />
          <Select
            label="Default severity"
            description="Of events that come without one."
            data={SEVERITY_CHOICES}
            allowDeselect={false}
            {...form.getInputProps('defaultSeverity')}
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
      </form>
    </Modal>
  );
}
