import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { UserRecord } from '@/api';
import { meEditMutation } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { FormSummary } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { ZoneSelect } from '@/parts/ZoneSelect';
import { refreshAccount } from '@/screens/account/refresh';

export function Profile({ me }: { me: UserRecord }) {
  const client = useQueryClient();
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm({
    initialValues: { name: me.name, timezone: me.timezone },
    validate: { name: (value) => (value.trim() ? null : 'Enter your name.') },
  });
  const isDirty = form.isDirty();
  const take = ({ name, timezone }: UserRecord) => {
    form.setInitialValues({ name, timezone });
    form.setValues({ name, timezone });
  };
  const follow = useEffectEvent(() => {
    if (!isDirty) take(me);
  });
  useEffect(() => follow(), [me.rev]);
  const edit = useMutation({
    ...meEditMutation(),
    onSuccess: (saved) => {
      take(saved);
      say('Profile saved');
      refreshAccount(client);
    },
    onError: (fault) => {
      const found = fieldFaults(fault, ['name', 'timezone']);
      form.setErrors(found.fields);
      setRest(found.rest);
    },
  });
  const submit = form.onSubmit((values) => {
    setRest([]);
    const { name, timezone } = values;
    edit.mutate({ body: { ...(form.isDirty('name') && { name }), ...(form.isDirty('timezone') && { timezone }) } });
  });
  return (
    <SettingsSection id="profile" title="Profile" about="Other members see your name next to your actions.">
      <form onSubmit={submit} noValidate className={styles.contents}>
        <FormSummary faults={rest} />
        <TextInput label="Name" autoComplete="name" required {...form.getInputProps('name')} />
        <ZoneSelect
          value={form.values.timezone}
          error={form.errors.timezone}
          onChange={(zone) => form.setFieldValue('timezone', zone)}
          description="Used in emails to you. Times in the dashboard follow the settings below."
        />
        {isDirty && (
          <Group>
            <Button type="submit" loading={edit.isPending}>
              Save the profile
            </Button>
            <Button variant="default" onClick={() => form.reset()}>
              Discard
            </Button>
          </Group>
        )}
      </form>
    </SettingsSection>
  );
}
