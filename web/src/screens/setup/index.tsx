import { Button, Stack, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { setupCreate } from '@/api';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { keepFirstKey } from '@/lib/configuration/firstKey';
import { focusFault } from '@/lib/forms/useFaults';
import { fieldFaults } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { withBrowserZone } from '@/lib/time/zone';
import { NewPassword } from '@/parts/NewPassword';
import { instanceName } from '@/parts/PageHeader';
import { FormSummary } from '@/parts/ProblemAlert';
import { PublicPage } from '@/parts/PublicPage';
import { emailHint } from '@/screens/setup/emailHint';

type Fields = { token: string; email: string; name: string; password: string; workspaceName: string };
const FIRST_SOURCE = { name: 'My first source' };
const NAMES = ['token', 'email', 'name', 'password', 'workspaceName'] as const;

/** The first account, with the token of the set-up link. Browsers send what follows `#` to nobody. */
export default function Setup() {
  const info = useQuery(infoReadOptions());
  if (info.data && !info.data.setupRequired) return <AlreadySetUp />;
  return <SetupForm />;
}

function SetupForm() {
  const [, navigate] = useLocation();
  const [hasLink] = useState(() => tokenOfLink() !== '');
  const [rest, setRest] = useState<string[]>([]);
  const form = useForm<Fields>({
    initialValues: { token: tokenOfLink(), email: '', name: '', password: '', workspaceName: 'Home' },
    validate: {
      token: (value) => (value.trim() ? null : 'Paste the part of the printed link after #token=.'),
      email: (value) => (/.+@.+/.test(value) ? null : 'Enter an email address, such as olga@example.org.'),
      name: (value) => (value.trim() ? null : 'Enter your name.'),
      password: (value) => (value ? null : 'Choose a password.'),
      workspaceName: (value) => (value.trim() ? null : 'Enter a name, such as Home.'),
    },
  });
  useEffect(() => {
    if (location.hash) history.replaceState(null, '', location.pathname);
  }, []);
  const create = useSetup(navigate, form, setRest);
  const submit = form.onSubmit((values) => {
    setRest([]);
    create.mutate(values);
  }, focusFault);
  return (
    <PublicPage
      title={`Set up ${instanceName()}`}
      about="Create the first account. It administers this instance."
      width={440}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormSummary faults={rest} />
          {(!hasLink || form.errors.token) && (
            <TextInput
              label="Setup token"
              description="The part after #token= in the link that the server printed."
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('token')}
            />
          )}
          <TextInput
            label="Email address"
            description={emailHint(form.values.email)}
            type="email"
            autoComplete="username"
            autoFocus
            required
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
          <TextInput
            label="Workspace name"
            description="A team, a company, or Home."
            autoComplete="organization"
            required
            {...form.getInputProps('workspaceName')}
          />
          <Button type="submit" loading={create.isPending} fullWidth>
            Create the account
          </Button>
        </Stack>
      </form>
    </PublicPage>
  );
}

/** Creates the first account, and opens the welcome page. */
function useSetup(
  navigate: ReturnType<typeof useLocation>[1],
  form: UseFormReturnType<Fields>,
  setRest: (faults: string[]) => void,
) {
  return useMutation({
    mutationFn: (values: Fields) =>
      withBrowserZone((zone) =>
        setupCreate({ body: { ...values, ...zone, firstSource: FIRST_SOURCE }, throwOnError: true }),
      ),
    gcTime: 0,
    onSuccess: ({ data }) => {
      // Loading the next page would lose the key, which is shown this once.
      keepFirstKey(data.key?.secret ?? null);
      queries.clear();
      navigate('/welcome', { replace: true });
    },
    onError: (fault) => {
      if ((fault as { code?: string }).code === 'token_invalid') {
        form.setErrors({
          token:
            'This link is wrong, already used, or replaced by a newer one. Run bin/inbox setup-link on the server for a new one.',
        });
        return;
      }
      const found = fieldFaults(fault, NAMES);
      form.setErrors(found.fields);
      setRest(found.rest);
    },
  });
}

function AlreadySetUp() {
  return (
    <PublicPage title="This instance is already set up" about="An account exists. The setup link no longer works.">
      <Button component={Link} href="/login">
        Sign in
      </Button>
    </PublicPage>
  );
}

function tokenOfLink(): string {
  return new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
}
