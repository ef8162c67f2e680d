import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { devicesPair, type PairingPreview, type PairResponse } from '@/api';
import { base } from '@/lib/navigation/base';
import { queries } from '@/lib/requests/queries';
import { becomeDevice, isInstalled } from '@/lib/session/auth';
import { browserOf } from '@/lib/session/browsers';
import { instanceName } from '@/parts/PageHeader';
import { FormSummary } from '@/parts/ProblemAlert';
import { PublicPage } from '@/parts/PublicPage';
import { words } from '@/screens/pair/CodeForm';
import { platform } from '@/screens/pair/platform';

type Props = { code: string; account: PairingPreview; onBack: () => void; onPaired: (paired: PairResponse) => void };

/** "Pair this phone?", with the instance and the account. In Safari of iOS the tokens wait for the installed app. */
export function Confirmation({ code, account, onBack, onPaired }: Props) {
  const [name, setName] = useState(() => browserOf(navigator.userAgent).slice(0, 100));
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<string[]>([]);
  const pair = async () => {
    const handOff = platform() === 'ios' && !isInstalled();
    const { data } = await devicesPair({
      body: { code, name: name.trim(), platform: browserOf(navigator.userAgent).slice(0, 100), handOff },
      throwOnError: true,
    });
    const { accessToken, accessExpiresAt, refreshToken } = data;
    if (accessToken && accessExpiresAt && refreshToken)
      await becomeDevice({ deviceId: data.deviceId, accessToken, accessExpiresAt, refreshToken });
    queries.clear();
    onPaired(data);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFaults([]);
    pair().catch((fault: unknown) => {
      setFaults([words(fault)]);
      setBusy(false);
    });
  };
  return (
    <PublicPage title="Pair this phone?" about={`${instanceName()}, ${location.host}${base}`}>
      <form onSubmit={submit}>
        <Stack>
          <FormSummary faults={faults} />
          <div>
            <Text fw={600}>{account.name}</Text>
            <Text size="sm" className="soft">
              {account.email}
            </Text>
          </div>
          <Text size="sm">
            The phone will act as this person: it can view, acknowledge and resolve incidents. It cannot change the
            password or second factors.
          </Text>
          <TextInput
            label="Name of this phone"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group grow>
            <Button variant="default" onClick={onBack} disabled={busy} mih="var(--target)">
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={!name.trim()} mih="var(--target)">
              Pair
            </Button>
          </Group>
        </Stack>
      </form>
    </PublicPage>
  );
}
