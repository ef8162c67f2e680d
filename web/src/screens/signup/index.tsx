import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { linksSignUp } from '@/api';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { withBrowserZone } from '@/lib/time/zone';
import { NewPassword } from '@/parts/NewPassword';
import { instanceName } from '@/parts/PageHeader';
import { FormSummary } from '@/parts/ProblemAlert';
import { PublicPage } from '@/parts/PublicPage';

/** A new account. The answer is the same whether the address has one already or not. */
export default function SignUp() {
  const info = useQuery(infoReadOptions());
  const [sent, setSent] = useState('');
  const [busy, setBusy] = useState(false);
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm({
    initialValues: { email: '', name: '', password: '' },
    validate: {
      email: (value) => (/.+@.+/.test(value) ? null : 'Enter an email address, such as olga@example.org.'),
      name: (value) => (value.trim() ? null : 'Enter your name.'),
    },
  });
  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setRest([]);
    try {
      await withBrowserZone((zone) => linksSignUp({ body: { ...values, ...zone }, throwOnError: true }));
      setSent(values.email);
      form.setFieldValue('password', '');
    } catch (fault) {
      const found = fieldFaults(fault, ['email', 'name', 'password']);
      form.setErrors(found.fields);
      setRest(found.rest);
    } finally {
      setBusy(false);
    }
  });
  if (info.data && !info.data.capabilities.includes('auth.signup')) {
    return <Closed />;
  }
  if (sent) {
    return <Sent sent={sent} setSent={setSent} />;
  }
  return (
    <PublicPage
      title={`Sign up for ${instanceName()}`}
      about="You confirm your address with a link that is mailed to you."
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormSummary faults={rest} />
          <TextInput
            label="Email address"
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...form.getInputProps('email')}
          />
          <TextInput label="Your name" autoComplete="name" required {...form.getInputProps('name')} />
          <NewPassword
            label="Password"
            value={form.values.password}
            email={form.values.email}
            error={form.errors.password}
            onChange={(value) => form.setFieldValue('password', value)}
          />
          <Button type="submit" loading={busy} disabled={info.isPending}>
            Sign up
          </Button>
          <Anchor component={Link} href="/login" size="sm">
            I have an account
          </Anchor>
        </Stack>
      </form>
    </PublicPage>
  );
}

function Closed() {
  return (
    <PublicPage title="Sign-up is closed" about="Accounts on this instance are by invite only.">
      <Text>Ask a workspace owner for an invite.</Text>
      <Button component={Link} href="/login" variant="default">
        Sign in
      </Button>
    </PublicPage>
  );
}

type SentProps = {
  sent: string;
  setSent: (address: string) => void;
};

function Sent({ sent, setSent }: SentProps) {
  return (
    <PublicPage title="Check your mail" about={`A confirmation link is mailed to ${sent}.`}>
      <Text role="status">The link creates your account. It works once, for 24 hours.</Text>
      <Text size="sm" className="soft">
        If nothing arrives within a few minutes, check your spam folder or sign up again. A new link replaces the old
        one.
      </Text>
      <Button variant="default" onClick={() => setSent('')}>
        Sign up again
      </Button>
    </PublicPage>
  );
}
