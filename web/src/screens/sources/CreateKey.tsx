import { Button, Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { KeyNew, KeyRecord } from '@/api';
import { KEY_KINDS } from '@/lib/configuration/keyKinds';
import { fieldFaults } from '@/lib/requests/problems';
import { Modal } from '@/parts/dialogs';
import { FormSummary } from '@/parts/ProblemAlert';
import { say } from '@/parts/toast';
import { keyFieldOf } from '@/screens/sources/kinds/fields';
import { useSourceKinds } from '@/screens/sources/kinds/KindSelect';
import type { useNewKey } from '@/screens/sources/useNewKey';

/** What a dialog begins with. */
export type KeyChoice = { kind: KeyRecord['kind']; tool: string | null };

type Props = { begin: KeyChoice | null; onClose: () => void; newKey: ReturnType<typeof useNewKey> };

/** Asks for the kind of a new key, and for what belongs to this kind. */
export function CreateKey({ begin, onClose, newKey }: Props) {
  return (
    <Modal opened={begin !== null} onClose={onClose} title="Create a key">
      {begin && <KeyForm begin={begin} onClose={onClose} newKey={newKey} />}
    </Modal>
  );
}

function KeyForm({ begin, onClose, newKey }: Props & { begin: KeyChoice }) {
  const kinds = useSourceKinds();
  const signing = (kinds ?? []).filter((each) => each.keyKinds.includes('signing_secret'));
  const isUseful = (kind: KeyRecord['kind']) =>
    kinds?.some((each) => each.available && each.keyKinds.includes(kind)) ?? true;
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm({ initialValues: { ...begin, name: '', secret: '' } });
  const { kind } = form.values;
  const isSigning = kind === 'signing_secret';
  const secretField = keyFieldOf(kinds ?? [], form.values.tool);
  const submit = form.onSubmit(({ name, tool, secret }) => {
    const body: KeyNew = { kind, ...(name.trim() && { name: name.trim() }) };
    if (isSigning) Object.assign(body, tool && { tool }, secret && { secret });
    newKey.create(
      body,
      () => {
        onClose();
        if (body.secret) say('The signing secret is stored.');
      },
      (fault) => {
        const found = fieldFaults(fault, isSigning ? ['name', 'tool', 'secret'] : ['name']);
        form.setErrors(found.fields);
        setRest(found.rest);
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormSummary faults={rest} />
        <Select
          label="Kind"
          description={KEY_KINDS[kind].about}
          data={Object.entries(KEY_KINDS)
            .filter(([value]) => isUseful(value as KeyRecord['kind']))
            .map(([value, { label }]) => ({ value, label }))}
          allowDeselect={false}
          {...form.getInputProps('kind')}
        />
        {isSigning && (
          <>
            <Select
              label="Tool"
              required
              data={signing.map((each) => ({ value: each.kind, label: each.label }))}
              allowDeselect={false}
              {...form.getInputProps('tool')}
            />
            <PasswordInput
              label={secretField?.label ?? 'Signing secret'}
              description={
                secretField && `${secretField.help}${secretField.required ? '' : ' Leave it empty to generate one.'}`
              }
              required={secretField?.required}
              maxLength={256}
              autoComplete="off"
              {...form.getInputProps('secret')}
            />
          </>
        )}
        <TextInput
          label="Name"
          description="Where the key is used, such as web1 or CI. Optional."
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
      </Stack>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={newKey.isPending}>
          Create the key
        </Button>
      </Group>
    </form>
  );
}
