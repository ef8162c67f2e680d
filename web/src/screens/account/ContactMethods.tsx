import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  contactMethodsConfirm,
  contactMethodsCreate,
  contactMethodsRemove,
  contactMethodsSendCode,
  type ContactMethodRecord,
} from '@/api';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { formFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { FormSummary } from '@/parts/ProblemAlert';
import { SectionList, SectionRow } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { useAttempt } from '@/parts/useAttempt';
import { ConfirmButton } from '@/parts/ConfirmButton';

const MOST = 10;

const reread = () => void refresh('contactMethodsList');

/** Further addresses of the person. Each is confirmed by a code before rules can name it. */
export function ContactMethods({ contacts }: { contacts: readonly ContactMethodRecord[] }) {
  const info = useQuery(infoReadOptions());
  const sendsMail = info.data?.capabilities.includes('mail') ?? false;
  return (
    <Stack gap="sm">
      {contacts.length > 0 && (
        <SectionList label="Contact methods">
          {contacts.map((each) => (
            <Row key={each.id} contact={each} />
          ))}
        </SectionList>
      )}
      {sendsMail
        ? contacts.length < MOST && <NewAddress />
        : info.data && (
            <Text size="sm" className="soft">
              This instance does not send mail, so no further address can be added.
            </Text>
          )}
    </Stack>
  );
}

function Row({ contact }: { contact: ContactMethodRecord }) {
  const { busy, attempt } = useAttempt();
  const remove = () =>
    attempt('remove', async () => {
      await contactMethodsRemove({ path: { contact_method_id: contact.id }, throwOnError: true });
      say('The contact method was removed');
      reread();
    });
  return (
    <SectionRow
      actions={
        <ConfirmButton
          word="Remove"
          label={`Remove ${contact.address}`}
          title={`Remove ${contact.address}`}
          busy={busy === 'remove'}
          onConfirm={() => void remove()}
        >
          Pages no longer reach you at this address.
        </ConfirmButton>
      }
    >
      <strong>{contact.address}</strong>
      {contact.confirmedAt === null ? (
        <Confirmation contact={contact} />
      ) : (
        <div className={`soft ${styles.small}`}>Confirmed</div>
      )}
    </SectionRow>
  );
}

function Confirmation({ contact }: { contact: ContactMethodRecord }) {
  const [code, setCode] = useState('');
  const { busy, attempt } = useAttempt();
  const path = { contact_method_id: contact.id };
  const confirm = useMutation({
    mutationFn: () => contactMethodsConfirm({ path, body: { code: code.trim() }, throwOnError: true }),
    onSuccess: () => say('The address is confirmed'),
    onSettled: reread,
  });
  const resend = () =>
    attempt('code', async () => {
      await contactMethodsSendCode({ path, throwOnError: true });
      say('A new code was sent');
    });
  const faults = formFaults(confirm.error, ['code']);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <FormSummary faults={faults.rest} />
      <Group gap="xs" align="flex-end" mt={4}>
        <TextInput
          label={`Code for ${contact.address}`}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          w={220}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={faults.fields.code}
        />
        <Button type="submit" mih="var(--target)" loading={confirm.isPending} disabled={!/^\d{6}$/.test(code.trim())}>
          Confirm
        </Button>
        <Button variant="default" mih="var(--target)" loading={busy === 'code'} onClick={() => void resend()}>
          Send a new code
        </Button>
      </Group>
    </form>
  );
}

function NewAddress() {
  const [address, setAddress] = useState('');
  const add = useMutation({
    mutationFn: () => contactMethodsCreate({ body: { kind: 'email', address: address.trim() }, throwOnError: true }),
    onSuccess: () => {
      setAddress('');
      say('A code was sent to the address');
    },
    onSettled: reread,
  });
  const faults = formFaults(add.error, ['address']);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <FormSummary faults={faults.rest} />
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Further email address"
          type="email"
          flex={1}
          miw={180}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          error={faults.fields.address}
        />
        <Button
          type="submit"
          variant="default"
          mih="var(--target)"
          loading={add.isPending}
          disabled={!/.+@.+/.test(address)}
        >
          Send a code
        </Button>
      </Group>
    </form>
  );
}
