import { Button } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { isInstalled } from '@/lib/auth';
import { FormSummary } from '@/parts/ProblemAlert';
import { instanceName } from '@/parts/PageHeader';
import { SignInForm } from '@/parts/proof/SignInForm';
import { PublicPage } from '@/parts/PublicPage';

/** The sign-in page. `next` is a path of this instance; anything else is taken for the start. */
export default function Login() {
  const [search] = useSearchParams();
  const fault = search.get('error');
  return (
    <PublicPage title={`Sign in to ${instanceName()}`}>
      <FormSummary faults={fault ? [providerFault(fault)] : []} />
      <SignInForm onSignedIn={() => location.assign(safePath(search.get('next')))} />
      {isInstalled() && (
        <Button component={Link} href="/pair" variant="default" mih="var(--target)">
          Pair this phone with a code
        </Button>
      )}
    </PublicPage>
  );
}

/** Only a path of our own: never another host, and never a scheme. */
export function safePath(next: string | null): string {
  if (next === null) return '/';
  const address = new URL(next, location.origin);
  return next.startsWith('/') && address.origin === location.origin
    ? address.pathname + address.search + address.hash
    : '/';
}

const PROVIDER_FAULTS: Record<string, string> = {
  access_denied: 'The identity provider did not let you in, or you cancelled.',
  not_linked: 'No account here belongs to this identity. Sign in with your password and link it, or ask for an invite.',
  expired: 'Signing in took too long. Try again.',
};

function providerFault(code: string): string {
  return (
    PROVIDER_FAULTS[code] ??
    `Signing in with the identity provider failed (${code.slice(0, 60)}). Try again, or sign in with your password.`
  );
}
