import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { linksVerifyEmail, type Verified } from '@/api';
import { LinkConfirmation } from '@/parts/LinkConfirmation';
import { PublicPage } from '@/parts/PublicPage';

/** Confirms the address of a new account. */
export default function VerifyEmail() {
  return (
    <LinkConfirmation
      title="Confirm your address"
      about="Confirm your address to create your account."
      word="Confirm the address"
      invalid={{
        about: 'It was already used, is older than 24 hours, or was replaced by a newer one.',
        next: { href: '/signup', word: 'Sign up again' },
      }}
      confirm={async (token) => (await linksVerifyEmail({ body: { token }, throwOnError: true })).data}
      done={(verified) => <Done verified={verified} />}
    />
  );
}

function Done({ verified }: { verified: Verified }) {
  return (
    <PublicPage title="Your account is ready" about={`You sign in with ${verified.email}.`}>
      {!verified.hasPassword && (
        <Text role="status">
          Two passwords were chosen for this address, so the account has none yet. Choose one now.
        </Text>
      )}
      <Button component={Link} href={verified.hasPassword ? '/login' : '/forgot'}>
        {verified.hasPassword ? 'Sign in' : 'Choose a password'}
      </Button>
    </PublicPage>
  );
}
