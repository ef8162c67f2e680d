import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { workspacesCreate } from '@/api';
import { fieldFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { withBrowserZone } from '@/lib/time/zone';
import { FormSummary } from '@/parts/ProblemAlert';

/** The name of a new workspace, which begins with its three steps in the browser's time zone. */
export function NewWorkspaceForm({ cancel, onCreated }: { cancel?: ReactNode; onCreated?: () => void }) {
  const [, navigate] = useLocation();
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (value) => (value.trim() ? null : 'Enter a name, such as Home.') },
  });
  const create = useMutation({
    mutationFn: (name: string) =>
      withBrowserZone((zone) => workspacesCreate({ body: { name, ...zone }, throwOnError: true })),
    onSuccess: async ({ data }) => {
      await refresh('workspacesList');
      onCreated?.();
      navigate(`/w/${data.slug}/welcome`);
    },
    onError: (fault) => {
      const found = fieldFaults(fault, ['name']);
      form.setErrors(found.fields);
      setRest(found.rest);
    },
  });
  const submit = form.onSubmit(({ name }) => {
    setRest([]);
    create.mutate(name.trim());
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormSummary faults={rest} />
        <TextInput
          label="Workspace name"
          description="A team, a company, or Home. You will own it and can invite others later."
          autoComplete="organization"
          maxLength={100}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Group justify="flex-end">
          {cancel}
          <Button type="submit" loading={create.isPending}>
            Create the workspace
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
