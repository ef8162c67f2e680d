import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { invitesAccept } from '@/api';
import { load } from '@/lib/navigation/base';
import { fieldFaults, isProblem } from '@/lib/requests/problems';
import { withBrowserZone } from '@/lib/time/zone';
import { NewPassword } from '@/parts/NewPassword';
import { FormSummary } from '@/parts/ProblemAlert';

type Props = { token: string; email: string | null; onInvalid: (fault: unknown) => void; onHasAccount: () => void };

/** An account for the invited person; it joins and signs in at once. */
export function NewAccount({ token, email, onInvalid, onHasAccount }: Props) {
  const [busy, setBusy] = useState(false);
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm({
    initialValues: { email: email ?? '', name: '', password: '' },
    validate: {
      email: (value) => (/.+@.+/.test(value) ? null : 'Enter an email address, such as olga@example.org.'),
      name: (value) => (value.trim() ? null : 'Enter your name.'),
    },
  });
  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setRest([]);
    try {
      const { data } = await withBrowserZone((zone) =>
        invitesAccept({ body: { token, ...values, ...zone }, throwOnError: true }),
      );
      load(`/w/${data.workspace.slug}/inbox`);
    } catch (fault) {
      setBusy(false);
      if (isProblem(fault) && fault.code === 'invite_invalid') return onInvalid(fault);
      if (isProblem(fault) && fault.code === 'conflict') return onHasAccount();
      const found = fieldFaults(fault, ['email', 'name', 'password']);
      form.setErrors(found.fields);
      setRest(found.rest);
    }
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormSummary faults={rest} />
        <TextInput
          label="Email address"
          description="You sign in with it."
          type="email"
          autoComplete="username"
          required
          readOnly={email !== null}
          {...form.getInputProps('email')}
        />
        <TextInput
          label="Your name"
          description="Other members see it next to your actions."
          autoComplete="name"
          required
          {...form.getInputProps('name')}
        />
        <NewPassword
          label="Password"
          value={form.values.password}
          email={form.values.email}
          error={form.errors.password}
          onChange={(value) => form.setFieldValue('password', value)}
        />
        <Button type="submit" loading={busy}>
          Create the account and join
        </Button>
      </Stack>
    </form>
  );
}
