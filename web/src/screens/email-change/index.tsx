import { Button, Text } from '@mantine/core';
import { linksChangeEmail } from '@/api';
import { below } from '@/lib/navigation/base';
import { LinkConfirmation } from '@/parts/LinkConfirmation';
import { PublicPage } from '@/parts/PublicPage';

/** Confirms the new address of an account. */
export default function EmailChange() {
  return (
    <LinkConfirmation
      title="New email address"
      about="Your account will use the address that this link was mailed to."
      word="Use the new address"
      invalid={{
        about: 'It was already used, is older than one hour, or was replaced by a newer one.',
        next: { href: '/account', word: 'Open your account' },
      }}
      confirm={async (token) => {
        await linksChangeEmail({ body: { token }, throwOnError: true });
        return true;
      }}
      done={() => (
        <PublicPage title="The address was changed" about="Sign in with the new address from now on.">
          <Text role="status">A notice was mailed to the old address.</Text>
          <Button component="a" href={below('/account')}>
            Open your account
          </Button>
        </PublicPage>
      )}
    />
  );
}
