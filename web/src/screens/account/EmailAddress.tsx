import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { MailCheck } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import type { UserRecord } from '@/api';
import { infoReadOptions, linksRequestEmailChangeMutation } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { FormSummary } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';

/** Another address: the old one stays until the link in the mail to the new one is opened. */
export function EmailAddress({ me }: { me: UserRecord }) {
  const info = useQuery(infoReadOptions());
  const [email, setEmail] = useState('');
  const request = useMutation(linksRequestEmailChangeMutation());
  const mails = info.data?.capabilities.includes('mail') ?? false;
  const faults = request.error
    ? fieldFaults(request.error, ['newEmail'])
    : { fields: {} as Record<string, string>, rest: [] };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate({ body: { newEmail: email.trim() } });
  };
  return (
    <SettingsSection
      id="email"
      title="Email address"
      about={
        <>
          You sign in with <strong>{me.email}</strong>.
        </>
      }
    >
      {request.isSuccess ? (
        <Alert color="gray" variant="outline" role="status" icon={<MailCheck size={18} aria-hidden />}>
          <Text size="sm">
            If {email} is available, a link is mailed to it. The link works for one hour. Until you open it, you sign in
            with {me.email}.
          </Text>
          <Button
            mt="xs"
            size="xs"
            mih="var(--target)"
            variant="default"
            onClick={() => {
              request.reset();
              setEmail('');
            }}
          >
            Use another address
          </Button>
        </Alert>
      ) : mails ? (
        <form onSubmit={submit} className={styles.contents}>
          <FormSummary faults={faults.rest} />
          <TextInput
            label="New email address"
            type="email"
            autoComplete="email"
            required
            value={email}
            error={faults.fields.newEmail}
            description="A link is mailed to it. The address changes when you open the link."
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Group>
            <Button type="submit" variant="default" loading={request.isPending} disabled={!/.+@.+/.test(email)}>
              Send the link
            </Button>
          </Group>
        </form>
      ) : (
        <Text size="sm" className="soft">
          This instance does not send mail, so a new address cannot be confirmed. Ask an administrator to set up mail.
        </Text>
      )}
    </SettingsSection>
  );
}
