import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import {
  factorsBeginTotp,
  factorsConfirmTotp,
  factorsRemoveTotp,
  factorsReplaceRecoveryCodes,
  type AppCreated,
  type FactorsRecord,
} from '@/api';
import { factorsReadOptions } from '@/api/@tanstack/react-query.gen';
import { message } from '@/lib/requests/problems';
import { Modal } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import { FormSummary, ProblemAlert } from '@/parts/ProblemAlert';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say } from '@/parts/toast';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { QrCode } from '@/screens/account/QrCode';
import { RecoveryCodes } from '@/screens/account/RecoveryCodes';
import { refreshAccount } from '@/screens/account/refresh';
import { useAttempt } from '@/parts/useAttempt';

/** The authenticator app and the recovery codes, which belong to every second factor. */
export function AuthenticatorApp() {
  const client = useQueryClient();
  const factors = useQuery(factorsReadOptions());
  const [begun, setBegun] = useState<AppCreated | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const { busy, attempt } = useAttempt();
  const begin = () => attempt('begin', async () => setBegun((await factorsBeginTotp({ throwOnError: true })).data));
  const remove = () =>
    attempt('remove', async () => {
      await factorsRemoveTotp({ throwOnError: true });
      say('The authenticator app was removed');
      refreshAccount(client);
    });
  const replace = () =>
    attempt('codes', async () => {
      setCodes((await factorsReplaceRecoveryCodes({ throwOnError: true })).data.recoveryCodes);
      refreshAccount(client);
    });
  const done = (recoveryCodes: string[] | null) => {
    setBegun(null);
    if (recoveryCodes?.length) setCodes(recoveryCodes);
    say('The authenticator app is set up');
    refreshAccount(client);
  };
  const { data } = factors;
  return (
    <SettingsSection
      id="second-factor"
      title="Second factor"
      about={
        data?.secondFactor
          ? 'Signing in needs more than your password.'
          : 'With a second factor, a stolen password is not enough to sign in.'
      }
    >
      {factors.isPending && <SkeletonRows count={2} />}
      {factors.error && !data && <ProblemAlert fault={factors.error} onRetry={() => factors.refetch()} />}
      {data && (
        <SectionList label="Second factor">
          <AppRow data={data} busy={busy} remove={remove} begin={begin} />
          {data.secondFactor && (
            <SectionRow
              actions={
                <ConfirmButton
                  word="Replace"
                  title="Replace the recovery codes"
                  busy={busy === 'codes'}
                  onConfirm={replace}
                >
                  Your current codes stop working.
                </ConfirmButton>
              }
            >
              <strong>Recovery codes</strong>
              <div className={`soft ${styles.small}`}>
                {data.recoveryCodesLeft} of 10 left. Each one replaces the second factor once.
              </div>
            </SectionRow>
          )}
        </SectionList>
      )}
      <Confirmation begun={begun} onClose={() => setBegun(null)} onDone={done} />
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </SettingsSection>
  );
}

type AppRowProps = {
  data: FactorsRecord;
  busy: string;
  remove: () => Promise<void>;
  begin: () => Promise<void>;
};

/** The state of the authenticator app, and the button to set it up or remove it. */
function AppRow({ data, busy, remove, begin }: AppRowProps) {
  return (
    <SectionRow
      actions={
        data.totp ? (
          <ConfirmButton word="Remove" title="Remove the authenticator app" busy={busy === 'remove'} onConfirm={remove}>
            {data.passkeys.length > 0
              ? 'Your passkeys remain your second factor.'
              : 'Your password alone will be enough to sign in, and your recovery codes stop working.'}
          </ConfirmButton>
        ) : (
          <Button loading={busy === 'begin'} onClick={begin}>
            Set up
          </Button>
        )
      }
    >
      <strong>Authenticator app</strong>
      <div className={`soft ${styles.small}`}>
        {data.totp ? (
          <>
            Set <TimeAgo at={data.totp.confirmedAt} />
          </>
        ) : (
          'Not set up. An app on your phone shows six-digit codes.'
        )}
      </div>
    </SectionRow>
  );
}

/** The QR code, the key in letters, and the first code of the app. */
function Confirmation({
  begun,
  onClose,
  onDone,
}: {
  begun: AppCreated | null;
  onClose: () => void;
  onDone: (codes: string[] | null) => void;
}) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<string[]>([]);
  const close = () => {
    setCode('');
    setFaults([]);
    onClose();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFaults([]);
    try {
      const { data } = await factorsConfirmTotp({ body: { code: code.replaceAll(' ', '') }, throwOnError: true });
      setCode('');
      onDone(data.recoveryCodes);
    } catch (fault) {
      setFaults([message(fault)]);
      setCode('');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened={begun !== null} onClose={close} title="Set up an authenticator app" closeOnClickOutside={false}>
      {begun && (
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">Scan this with the app, then enter the code it shows.</Text>
            <QrCode svg={begun.qrSvg} label="QR code for the authenticator app" />
            <div>
              <Text size="sm" className="soft">
                Without a camera, enter this key:
              </Text>
              <Code block className={styles.verbatim}>
                {begun.secret.match(/.{1,4}/g)?.join(' ')}
              </Code>
            </div>
            <FormSummary faults={faults} />
            <TextInput
              label="Code"
              description="Six digits. The app changes them every 30 seconds."
              inputMode="numeric"
              autoComplete="one-time-code"
              required
              maxLength={8}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={busy} disabled={code.trim().length < 6}>
                Confirm
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
