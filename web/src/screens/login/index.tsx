import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { infoReadOptions, meReadOptions } from '@/api/@tanstack/react-query.gen';
import { load } from '@/lib/navigation/base';
import { isInstalled } from '@/lib/session/auth';
import { announceProof, PROVED, safePath } from '@/lib/session/provider';
import { providerFault } from '@/lib/session/providerFaults';
import { instanceName } from '@/parts/PageHeader';
import { FormSummary } from '@/parts/ProblemAlert';
import { type Challenge, SignInForm } from '@/parts/proof/SignInForm';
import { PublicPage } from '@/parts/PublicPage';

/** The sign-in page. `next` is a path of this instance; anything else is taken for the start. */
export default function Login() {
  const [search] = useSearchParams();
  const begun = useBegun();
  const fault = search.get('error');
  const me = useQuery({ ...meReadOptions(), retry: false, enabled: fault !== null });
  if (search.has(PROVED)) return <Proved />;
  if (fault !== null && me.isPending) return null;
  if (fault !== null && me.data) return <StillSignedIn fault={fault} />;
  const next = safePath(begun?.returnTo ?? search.get('next'));
  return (
    <PublicPage title={`Sign in to ${instanceName()}`}>
      <FormSummary faults={fault ? [providerFault(fault)] : []} />
      <SignInForm begun={begun?.challenge} returnTo={next} onSignedIn={() => load(next)} />
      <SignUpLink />
      {isInstalled() && (
        <Button component={Link} href="/pair" variant="default" mih="var(--target)">
          Pair this phone with a code
        </Button>
      )}
    </PublicPage>
  );
}

type Begun = { challenge: Challenge; returnTo: string };

/**
 * What an identity provider left to prove: it stands behind the `#`, which browsers send to nobody, and leaves the address
 * at once.
 */
function useBegun(): Begun | null {
  const [begun] = useState(() => {
    const values = new URLSearchParams(location.hash.slice(1));
    const challenge = values.get('challenge');
    const factors = (values.get('factors') ?? '').split(',');
    return challenge === null ? null : { challenge: { challenge, factors }, returnTo: values.get('returnTo') ?? '/' };
  });
  useEffect(() => {
    if (location.hash) history.replaceState(null, '', location.pathname + location.search);
  }, []);
  return begun;
}

/** Only where strangers may sign up. */
function SignUpLink() {
  const info = useQuery(infoReadOptions());
  if (!info.data?.capabilities.includes('auth.signup')) return null;
  return (
    <Text size="sm" className="soft">
      No account yet?{' '}
      <Anchor component={Link} href="/signup" size="sm" underline="always">
        Sign up
      </Anchor>
    </Text>
  );
}

/** The end of a window that an identity provider was opened in. */
function Proved() {
  useEffect(announceProof, []);
  return (
    <PublicPage title="Identity confirmed" about="The page that opened this window continues.">
      <Button onClick={() => window.close()}>Close this window</Button>
    </PublicPage>
  );
}

/** A provider that was to be linked, or to confirm the person, did not: the session stays. */
function StillSignedIn({ fault }: { fault: string }) {
  return (
    <PublicPage title="The identity provider did not confirm your identity">
      <Stack>
        <FormSummary faults={[providerFault(fault)]} />
        <Button component={Link} href="/account">
          Open your account
        </Button>
      </Stack>
    </PublicPage>
  );
}
