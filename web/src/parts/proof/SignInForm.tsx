import { Button, Checkbox, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, LogIn } from 'lucide-react';
import { useEffect, useState, type FormEvent } from 'react';
import { authLogin, authLoginOptions, authLoginSecondFactor, authPasskey, authPasskeyOptions } from '@/api';
import { infoReadOptions, oidcProvidersOptions } from '@/api/@tanstack/react-query.gen';
import { below } from '@/lib/navigation/base';
import { isProblem, message } from '@/lib/requests/problems';
import { hasPasskeys, passkeyProof } from '@/lib/session/passkey';
import { goToProvider, openProvider, whenProved } from '@/lib/session/provider';
import { FormSummary } from '@/parts/ProblemAlert';
import type { Factor } from '@/parts/proof/factors';
import { ProofFields } from '@/parts/proof/ProofFields';
import { usePasskeyOffer } from '@/parts/proof/usePasskeyOffer';
import styles from '@/parts/styles.module.css';

export type Challenge = { challenge: string; factors: string[] };

type Props = {
  onSignedIn: () => void;
  /** The page to which an identity provider returns. Without it the provider opens in a separate window. */
  returnTo?: string;
  /** The address of the person whose session has ended. */
  email?: string;
  /** The factor that is still required after an identity provider. */
  begun?: Challenge | null;
};

/** Signing in: password, second factor where the account has one, passkey, identity providers. Used by the page and the dialog. */
export function SignInForm({ onSignedIn, returnTo, email, begun = null }: Props) {
  const [challenge, setChallenge] = useState<Challenge | null>(begun);
  if (challenge !== null)
    return <SecondFactor challenge={challenge} onSignedIn={onSignedIn} onBack={() => setChallenge(null)} />;
  return <FirstFactor onSignedIn={onSignedIn} returnTo={returnTo} email={email} onChallenge={setChallenge} />;
}

/** Runs one way to sign in: which one it is, and why the last one failed. */
function useAttempt() {
  const [busy, setBusy] = useState('');
  const [faults, setFaults] = useState<string[]>([]);
  const attempt = async (name: string, act: () => Promise<void>) => {
    setBusy(name);
    setFaults([]);
    try {
      await act();
    } catch (fault) {
      const gaveUp = fault instanceof DOMException;
      const isRefused = name === 'password' && isProblem(fault) && fault.code === 'unauthenticated';
      if (gaveUp) setFaults(['No passkey was used. Try again, or sign in with your password.']);
      else setFaults([isRefused ? 'Sign-in failed. Check the email address and the password.' : message(fault)]);
    } finally {
      setBusy('');
    }
  };
  return { busy, faults, setFaults, attempt };
}

function FirstFactor({
  onSignedIn,
  returnTo,
  email: known = '',
  onChallenge,
}: Props & {
  onChallenge: (challenge: Challenge) => void;
}) {
  const info = useQuery(infoReadOptions());
  const providers = useQuery(oidcProvidersOptions());
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const { busy, faults, setFaults, attempt } = useAttempt();
  const can = (capability: string) => info.data?.capabilities.includes(capability) ?? false;

  const byPassword = (event: FormEvent) => {
    event.preventDefault();
    void attempt('password', async () => {
      const { data } = await authLogin({ body: { email, password }, throwOnError: true });
      setPassword('');
      if (data.mfaRequired && data.challenge) onChallenge({ challenge: data.challenge, factors: data.factors ?? [] });
      else onSignedIn();
    });
  };
  const byPasskey = () =>
    attempt('passkey', async () => {
      const { data } = await authPasskeyOptions({ throwOnError: true });
      const credential = await passkeyProof(data.options);
      await authPasskey({ body: { challenge: data.challenge, credential }, throwOnError: true });
      onSignedIn();
    });
  const byProvider = (id: string) =>
    attempt(id, () => (returnTo === undefined ? openProvider(id, 'sign-in') : goToProvider(id, 'sign-in', returnTo)));
  useEffect(() => (returnTo === undefined ? whenProved(onSignedIn) : undefined), [returnTo, onSignedIn]);

  const others = [...(providers.data?.items ?? [])];
  const passkeys = can('auth.passkey') && hasPasskeys();
  usePasskeyOffer(passkeys, { onSignedIn, onFault: (fault) => setFaults([message(fault)]) });
  return (
    <Stack>
      <FormSummary faults={faults} />
      {others.map((provider) => (
        <Button
          key={provider.id}
          variant="default"
          leftSection={<LogIn size={16} aria-hidden />}
          loading={busy === provider.id}
          onClick={() => byProvider(provider.id)}
        >
          Sign in with {provider.name}
        </Button>
      ))}
      {others.length > 0 && <Divider label="or" />}
      <PasswordForm
        byPassword={byPassword}
        email={email}
        setEmail={setEmail}
        password={password}
        setPassword={setPassword}
        busy={busy}
      />
      {passkeys && (
        <Button
          variant="default"
          leftSection={<KeyRound size={16} aria-hidden />}
          loading={busy === 'passkey'}
          onClick={byPasskey}
        >
          Sign in with a passkey
        </Button>
      )}
      <Forgotten can={can} />
    </Stack>
  );
}

type PasswordFormProps = {
  byPassword: (event: FormEvent) => void;
  email: string;
  setEmail: (email: string) => void;
  password: string;
  setPassword: (password: string) => void;
  busy: string;
};

function PasswordForm({ byPassword, email, setEmail, password, setPassword, busy }: PasswordFormProps) {
  return (
    <form onSubmit={byPassword}>
      <Stack>
        <TextInput
          label="Email address"
          type="email"
          autoComplete="username webauthn"
          required
          value={email}
          autoFocus={email === ''}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          autoFocus={email !== ''}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy === 'password'}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

type ForgottenProps = {
  can: (capability: string) => boolean;
};

/** The way to a new password. */
function Forgotten({ can }: ForgottenProps) {
  return (
    <Text size="sm" className="soft">
      {can('auth.password_reset') ? (
        <a href={below('/forgot')} className={styles.link}>
          Forgot your password?
        </a>
      ) : (
        <>
          Forgot your password? Ask an administrator, or run <span className="mono">bin/inbox user reset-password</span>{' '}
          on the server.
        </>
      )}
    </Text>
  );
}

function SecondFactor({
  challenge,
  onSignedIn,
  onBack,
}: {
  challenge: Challenge;
  onSignedIn: () => void;
  onBack: () => void;
}) {
  const [remember, setRemember] = useState(false);
  const prove = async (factor: Factor, value: string) => {
    if (factor === 'password') return;
    const rememberBrowser = remember && factor !== 'recovery_code';
    if (factor === 'passkey') {
      const { data } = await authLoginOptions({ body: { challenge: challenge.challenge }, throwOnError: true });
      const credential = await passkeyProof(data.options);
      await authLoginSecondFactor({
        body: { challenge: challenge.challenge, factor, credential, rememberBrowser },
        throwOnError: true,
      });
    } else {
      await authLoginSecondFactor({
        body: { challenge: challenge.challenge, factor, code: value, rememberBrowser },
        throwOnError: true,
      });
    }
    onSignedIn();
  };
  return (
    <Stack>
      <Text>Your account has a second factor.</Text>
      <ProofFields
        factors={challenge.factors}
        prove={prove}
        submitWord="Continue"
        more={(factor) =>
          factor !== 'recovery_code' && (
            <Checkbox
              label="Do not ask for the second factor in this browser for 30 days"
              description="Only on a device that nobody else uses."
              checked={remember}
              onChange={(event) => setRemember(event.currentTarget.checked)}
            />
          )
        }
      />
      <Button variant="subtle" onClick={onBack}>
        Start again
      </Button>
    </Stack>
  );
}
