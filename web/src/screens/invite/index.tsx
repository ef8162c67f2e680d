import { Button, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { authLogout, invitesAccept, invitesPreview, type InvitePreview } from '@/api';
import { meReadOptions } from '@/api/@tanstack/react-query.gen';
import { load } from '@/lib/navigation/base';
import { useLinkToken } from '@/lib/navigation/linkToken';
import { isProblem, message } from '@/lib/requests/problems';
import { leave } from '@/lib/session/auth';
import { InvalidLink } from '@/parts/InvalidLink';
import { FormSummary, ProblemAlert } from '@/parts/ProblemAlert';
import { SignInForm } from '@/parts/proof/SignInForm';
import { PublicPage } from '@/parts/PublicPage';
import { TimeAt } from '@/parts/TimeAgo';
import { NewAccount } from '@/screens/invite/NewAccount';

const INVALID =
  'The invite was already used or revoked, is older than seven days, or is for another address. You may already be a member.';

/** Joining a workspace with the link of an invite: signed in, by signing in, or with a new account. */
export default function Invite() {
  const token = useLinkToken();
  const me = useQuery({ ...meReadOptions(), retry: false });
  const [preview, setPreview] = useState<InvitePreview | null>(null);
  const [fault, setFault] = useState<unknown>(token ? null : { code: 'invite_invalid', status: 403 });
  useEffect(() => {
    if (!token) return;
    invitesPreview({ body: { token }, throwOnError: true }).then(({ data }) => setPreview(data), setFault);
  }, [token]);
  if (isProblem(fault) && fault.code === 'invite_invalid')
    return <InvalidLink about={INVALID} next={{ href: '/', word: 'Continue' }} />;
  if (fault)
    return (
      <PublicPage title="Invite">
        <ProblemAlert fault={fault} onRetry={() => location.reload()} />
      </PublicPage>
    );
  if (!preview || me.isPending)
    return (
      <PublicPage title="Invite">
        <Loader size="sm" role="status" aria-label="Loading" />
      </PublicPage>
    );
  const about = (
    <>
      {preview.inviter} invites {preview.email ? <strong>{preview.email}</strong> : 'you'} as{' '}
      <strong>{preview.role}</strong>. The link works until <TimeAt at={preview.expiresAt} />.
    </>
  );
  return (
    <PublicPage title={`Join ${preview.workspaceName}`} about={about} width={440}>
      {me.data ? (
        <Join token={token} email={me.data.email} preview={preview} onFault={setFault} />
      ) : (
        <Entrance token={token} preview={preview} onSignedIn={() => void me.refetch()} onFault={setFault} />
      )}
    </PublicPage>
  );
}

/** The account that is signed in joins. */
function Join({
  token,
  email,
  preview,
  onFault,
}: {
  token: string;
  email: string;
  preview: InvitePreview;
  onFault: (fault: unknown) => void;
}) {
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<string[]>([]);
  const other = preview.email !== null && preview.email.toLowerCase() !== email.toLowerCase();
  const run = async (act: () => Promise<void>) => {
    setBusy(true);
    setFaults([]);
    try {
      await act();
    } catch (refusal) {
      if (isProblem(refusal) && refusal.code === 'invite_invalid') onFault(refusal);
      else setFaults([message(refusal)]);
      setBusy(false);
    }
  };
  const join = () =>
    run(async () => {
      const { data } = await invitesAccept({ body: { token }, throwOnError: true });
      load(`/w/${data.workspace.slug}/inbox`);
    });
  const signOut = () =>
    run(async () => {
      await authLogout({ throwOnError: true });
      await leave(`/invite#token=${token}`);
      location.reload();
    });
  return (
    <Stack>
      <FormSummary faults={faults} />
      <Text size="sm">
        You are signed in as <strong>{email}</strong>.{other && ' This invite is for another address.'}
      </Text>
      {!other && (
        <Button loading={busy} onClick={() => void join()}>
          Join the workspace
        </Button>
      )}
      <Button variant="default" disabled={busy} onClick={() => void signOut()}>
        Use another account
      </Button>
    </Stack>
  );
}

/** Nobody is signed in: a new account, or the one that the person has. */
function Entrance({
  token,
  preview,
  onSignedIn,
  onFault,
}: {
  token: string;
  preview: InvitePreview;
  onSignedIn: () => void;
  onFault: (fault: unknown) => void;
}) {
  const [has, setHas] = useState(false);
  const [hasAccount, setHasAccount] = useState(false);
  const refused = () => {
    setHasAccount(true);
    setHas(true);
  };
  return (
    <Stack>
      <FormSummary faults={has && hasAccount ? ['This address has an account. Sign in with it to join.'] : []} />
      {has ? (
        <SignInForm onSignedIn={onSignedIn} />
      ) : (
        <NewAccount token={token} email={preview.email} onInvalid={onFault} onHasAccount={refused} />
      )}
      <Button variant="subtle" onClick={() => setHas(!has)}>
        {has ? 'I have no account' : 'I have an account'}
      </Button>
    </Stack>
  );
}
