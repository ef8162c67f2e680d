import { Button, Stack, Text } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { linksReset } from '@/api';
import { useLinkToken } from '@/lib/navigation/linkToken';
import { fieldFaults, isProblem } from '@/lib/requests/problems';
import { InvalidLink } from '@/parts/InvalidLink';
import { NewPassword } from '@/parts/NewPassword';
import { FormSummary } from '@/parts/ProblemAlert';
import { PublicPage } from '@/parts/PublicPage';

const INVALID = 'It was already used, is older than 30 minutes, or was replaced by a newer one.';

/** A new password with the link of a mail. It signs nobody in: a second factor remains necessary. */
export default function Reset() {
  const token = useLinkToken();
  const [password, setPassword] = useState('');
  const [state, setState] = useState<'open' | 'busy' | 'done' | 'invalid'>(token ? 'open' : 'invalid');
  const [faults, setFaults] = useState<{ fields: Record<string, string>; rest: string[] }>({ fields: {}, rest: [] });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setState('busy');
    setFaults({ fields: {}, rest: [] });
    try {
      await linksReset({ body: { token, password }, throwOnError: true });
      setPassword('');
      setState('done');
    } catch (fault) {
      const invalid = isProblem(fault) && fault.code === 'token_invalid';
      if (!invalid) setFaults(fieldFaults(fault, ['password']));
      setState(invalid ? 'invalid' : 'open');
    }
  };
  if (state === 'invalid')
    return <InvalidLink about={INVALID} next={{ href: '/forgot', word: 'Request a new link' }} />;
  if (state === 'done') {
    return (
      <PublicPage title="The password was changed" about="All sessions and devices of the account were signed out.">
        <Text role="status" className="only-for-readers">
          Done
        </Text>
        <Button component={Link} href="/login">
          Sign in
        </Button>
      </PublicPage>
    );
  }
  return (
    <PublicPage title="New password" about="This signs out all sessions and devices of your account.">
      <form onSubmit={submit}>
        <Stack>
          <FormSummary faults={faults.rest} />
          <NewPassword value={password} error={faults.fields.password} onChange={setPassword} autoFocus />
          <Button type="submit" loading={state === 'busy'} disabled={!password}>
            Set the password
          </Button>
        </Stack>
      </form>
    </PublicPage>
  );
}
