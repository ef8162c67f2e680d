import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  contactMethodsConfirm,
  contactMethodsCreate,
  contactMethodsRemove,
  contactMethodsSendCode,
  type ContactMethodNew,
  type ContactMethodRecord,
} from '@/api';
import { contactMethodsProvidersOptions, infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { formFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { contactKind } from '@/lib/words/contactKinds';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { FormSummary } from '@/parts/ProblemAlert';
import { SectionList, SectionRow } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { say } from '@/parts/toast';
import { useAttempt } from '@/parts/useAttempt';
import { isAddress, type Way, waysOf } from '@/screens/account/contactWays';

const MOST = 10;

const reread = () => void refresh('contactMethodsList');

/** Further addresses of the person. Each is confirmed by a code before rules can name it. */
export function ContactMethods({ contacts }: { contacts: readonly ContactMethodRecord[] }) {
  const info = useQuery(infoReadOptions());
  const providers = useQuery(contactMethodsProvidersOptions());
  const ways = waysOf(info.data?.capabilities.includes('mail') ?? false, providers.data?.items ?? []);
  return (
    <Stack gap="sm">
      {contacts.length > 0 && (
        <SectionList label="Contact methods">
          {contacts.map((each) => (
            <Row key={each.id} contact={each} />
          ))}
        </SectionList>
      )}
      {ways.length > 0
        ? contacts.length < MOST && <NewContact ways={ways} />
        : info.data &&
          providers.data && (
            <Text size="sm" className="soft">
              This instance does not send mail, and no workspace of yours offers SMS or other methods.
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
      <div className={`soft ${styles.small}`}>
        {contactKind(contact.kind)}
        {contact.confirmedAt !== null && contact.disabledAt === null && ', confirmed'}
      </div>
      {contact.disabledAt !== null && (
        <Text size="sm">This number answered STOP. Send START from it, or confirm it by a new code.</Text>
      )}
      {(contact.confirmedAt === null || contact.disabledAt !== null) && <Confirmation contact={contact} />}
    </SectionRow>
  );
}

function Confirmation({ contact }: { contact: ContactMethodRecord }) {
  const [code, setCode] = useState('');
  const { busy, attempt } = useAttempt();
  const path = { contact_method_id: contact.id };
  const confirm = useMutation({
    mutationFn: () => contactMethodsConfirm({ path, body: { code: code.trim() }, throwOnError: true }),
    onSuccess: () => say('The contact method is confirmed'),
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

function NewContact({ ways }: { ways: readonly Way[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [address, setAddress] = useState('');
  const way = ways.find((each) => each.value === chosen) ?? ways[0];
  const add = useMutation({
    mutationFn: (body: ContactMethodNew) => contactMethodsCreate({ body, throwOnError: true }),
    onSuccess: () => {
      setAddress('');
      say('A code was sent');
    },
    onSettled: reread,
  });
  const faults = formFaults(add.error, ['address']);
  if (!way) return null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate({ kind: way.kind, address: address.trim(), ...(way.providerId && { providerId: way.providerId }) });
      }}
    >
      <FormSummary faults={faults.rest} />
      <Group gap="xs" align="flex-end">
        <Select
          label="New contact"
          data={ways.map(({ value, label }) => ({ value, label }))}
          value={way.value}
          allowDeselect={false}
          miw={180}
          onChange={setChosen}
        />
        <TextInput
          label={way.field}
          placeholder={way.example}
          type={way.providerId === null ? 'email' : 'text'}
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
          disabled={!isAddress(way, address.trim())}
        >
          Send a code
        </Button>
      </Group>
    </form>
  );
}
