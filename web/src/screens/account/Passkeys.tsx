import { Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { factorsAddPasskey, factorsPasskeyOptions, factorsRemovePasskey, type PasskeyRecord } from '@/api';
import { factorsReadOptions, infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { hasPasskeys, newPasskey } from '@/lib/session/passkey';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say, sayFault } from '@/parts/toast';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { RecoveryCodes } from '@/screens/account/RecoveryCodes';
import { refreshAccount } from '@/screens/account/refresh';
import { useAttempt } from '@/parts/useAttempt';

/** Passkeys: a second factor, and a way to sign in without the password. */
export function Passkeys() {
  const client = useQueryClient();
  const info = useQuery(infoReadOptions());
  const factors = useQuery(factorsReadOptions());
  const [name, setName] = useState('');
  const [codes, setCodes] = useState<string[] | null>(null);
  const [adding, setAdding] = useState(false);
  const { busy, attempt } = useAttempt();
  const offered = info.data?.capabilities.includes('auth.passkey') ?? false;
  const add = async (event: FormEvent) => {
    event.preventDefault();
    setAdding(true);
    try {
      const { data: options } = await factorsPasskeyOptions({ throwOnError: true });
      const credential = await newPasskey(options.options);
      const { data } = await factorsAddPasskey({
        body: { challenge: options.challenge, credential, ...(name.trim() ? { name: name.trim() } : {}) },
        throwOnError: true,
      });
      setName('');
      if (data.recoveryCodes) setCodes(data.recoveryCodes);
      say('The passkey was added');
      refreshAccount(client);
    } catch (fault) {
      if (fault instanceof DOMException) say('No passkey was made. Try again, or use another device.');
      else sayFault(fault);
    } finally {
      setAdding(false);
    }
  };
  const remove = (passkey: PasskeyRecord) =>
    attempt(passkey.id, async () => {
      await factorsRemovePasskey({ path: { passkey_id: passkey.id }, throwOnError: true });
      say('The passkey was removed');
      refreshAccount(client);
    });
  const passkeys = factors.data?.passkeys ?? [];
  return (
    <SettingsSection
      id="passkeys"
      title="Passkeys"
      about="Sign in without a password, using your device or a security key."
    >
      {passkeys.length > 0 && (
        <SectionList label="Passkeys">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} busy={busy} remove={remove} />
          ))}
        </SectionList>
      )}
      {offered && hasPasskeys() ? (
        <form onSubmit={add} className={styles.contents}>
          <TextInput
            label="Name of the passkey (optional)"
            placeholder="Such as: laptop, blue key"
            maxLength={80}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group>
            <Button type="submit" variant="default" leftSection={<KeyRound size={16} aria-hidden />} loading={adding}>
              Add a passkey
            </Button>
          </Group>
        </form>
      ) : (
        info.isSuccess && (
          <Text size="sm" className="soft">
            {offered
              ? 'Passkeys are not available in this browser or at this address. They require https.'
              : 'Passkeys are not available on this instance. They require an https base URL.'}
          </Text>
        )
      )}
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </SettingsSection>
  );
}

type PasskeyRowProps = {
  passkey: PasskeyRecord;
  busy: string;
  remove: (passkey: PasskeyRecord) => Promise<void>;
};

/** One passkey, and its removal. */
function PasskeyRow({ passkey, busy, remove }: PasskeyRowProps) {
  return (
    <SectionRow
      actions={
        <ConfirmButton
          word="Remove"
          label={`Remove ${passkey.name}`}
          title={`Remove ${passkey.name}`}
          busy={busy === passkey.id}
          onConfirm={() => void remove(passkey)}
        >
          You can no longer sign in with this passkey. Delete it from your device, too.
        </ConfirmButton>
      }
    >
      <strong>{passkey.name}</strong>
      <div className={`soft ${styles.small}`}>
        Added <TimeAgo at={passkey.createdAt} />,{' '}
        {passkey.lastUsedAt ? (
          <>
            used <TimeAgo at={passkey.lastUsedAt} />
          </>
        ) : (
          'never used'
        )}
      </div>
    </SectionRow>
  );
}
