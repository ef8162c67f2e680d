import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { infoReadOptions, linksRequestPasswordResetMutation } from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { FormSummary } from '@/parts/ProblemAlert';
import { PublicPage } from '@/parts/PublicPage';

/** Requests a reset link. The answer is the same whether the address has an account or not. */
export default function Forgot() {
  const info = useQuery(infoReadOptions());
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const request = useMutation({ ...linksRequestPasswordResetMutation(), onSuccess: () => setSent(true) });
  const faults = request.error
    ? fieldFaults(request.error, ['email'])
    : { fields: {} as Record<string, string>, rest: [] };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate({ body: { email: email.trim() } });
  };
  if (info.data && !info.data.capabilities.includes('auth.password_reset')) {
    return (
      <PublicPage title="Forgotten password" about="This instance does not send mail.">
        <Text>
          Ask an administrator, or run <span className="mono">bin/inbox user reset-password</span> on the server.
        </Text>
        <Button component={Link} href="/login" variant="default">
          Back to sign-in
        </Button>
      </PublicPage>
    );
  }
  if (isSent && !request.error) {
    return (
      <PublicPage title="Check your mail" about={`If ${email.trim()} has an account, a link is mailed to it.`}>
        <Text role="status">The link works once, for 30 minutes. A newer link replaces it.</Text>
        <Text size="sm" className="soft">
          If nothing arrives within a few minutes, check your spam folder.
        </Text>
        <Button
          variant="default"
          loading={request.isPending}
          onClick={() => request.mutate({ body: { email: email.trim() } })}
        >
          Send another link
        </Button>
        <Button variant="default" onClick={() => setSent(false)}>
          Use another address
        </Button>
        <Anchor component={Link} href="/login" size="sm">
          Back to sign-in
        </Anchor>
      </PublicPage>
    );
  }
  return (
    <PublicPage title="Forgotten password" about="Get a mail with a link to choose a new password.">
      <form onSubmit={submit}>
        <Stack>
          <FormSummary faults={faults.rest} />
          <TextInput
            label="Email address"
            type="email"
            autoComplete="username"
            autoFocus
            required
            value={email}
            error={faults.fields.email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" loading={request.isPending} disabled={info.isPending}>
            Send the link
          </Button>
          <Anchor component={Link} href="/login" size="sm">
            Back to sign-in
          </Anchor>
        </Stack>
      </form>
    </PublicPage>
  );
}
