import { Button, Group, PasswordInput, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { UserRecord } from '@/api';
import { factorsReadOptions, meChangePasswordMutation } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { NewPassword } from '@/parts/NewPassword';
import { FormSummary } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { refreshAccount } from '@/screens/account/refresh';

const NONE = { fields: {} as Record<string, string>, rest: [] as string[] };

export function Password({ me }: { me: UserRecord }) {
  const client = useQueryClient();
  const factors = useQuery(factorsReadOptions());
  const has = factors.data?.hasPassword ?? true;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    ...meChangePasswordMutation(),
    gcTime: 0,
    onSuccess: () => {
      setCurrent('');
      setNext('');
      // The mutation cache would keep both passwords.
      change.reset();
      say('The password was changed. Other sessions and devices were signed out.');
      refreshAccount(client);
    },
  });
  const faults = change.error ? fieldFaults(change.error, ['currentPassword', 'newPassword']) : NONE;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ body: has && current ? { currentPassword: current, newPassword: next } : { newPassword: next } });
  };
  return (
    <SettingsSection
      id="password"
      title="Password"
      about={has ? 'A new password signs out all other sessions and devices.' : 'Your account has no password.'}
    >
      <form onSubmit={submit} className={styles.contents}>
        <FormSummary faults={faults.rest} />
        <input type="hidden" autoComplete="username" value={me.email} readOnly />
        {has && (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            value={current}
            error={faults.fields.currentPassword}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
        )}
        <NewPassword value={next} error={faults.fields.newPassword} onChange={setNext} />
        <Group>
          <Button type="submit" variant="default" loading={change.isPending} disabled={!next || (has && !current)}>
            {has ? 'Change the password' : 'Set a password'}
          </Button>
        </Group>
        <Text size="xs" className="soft">
          Common passwords, and passwords that contain your address, are not accepted.
        </Text>
      </form>
    </SettingsSection>
  );
}
