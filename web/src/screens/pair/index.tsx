import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { PairingPreview, PairResponse } from '@/api';
import { meReadOptions } from '@/api/@tanstack/react-query.gen';
import { auth } from '@/lib/session/identity';
import { PublicPage } from '@/parts/PublicPage';
import { CodeForm } from '@/screens/pair/CodeForm';
import { Confirmation } from '@/screens/pair/Confirmation';
import { Done, HomeScreen } from '@/screens/pair/Done';

/**
 * The code of the address, and how to forget it. It stands behind the `#`, which browsers send to nobody, and leaves the address
 * at once.
 */
function useCode(): [string, () => void] {
  const [code, setCode] = useState(() => decodeURIComponent(location.hash.slice(1)).slice(0, 64));
  useEffect(() => {
    if (location.hash) history.replaceState(history.state, '', location.pathname + location.search);
  }, []);
  return [code, () => setCode('')];
}

/**
 * Pairs this phone. 1. The code comes with the address or is typed. 2. The account is shown and confirmed. 3. The browser keeps
 * the tokens, or hands them to the installed app. Whoever is signed in or paired here already needs no code.
 */
export default function Pair() {
  const [code, forgetCode] = useCode();
  const [params] = useSearchParams();
  const [found, setFound] = useState<{ code: string; account: PairingPreview } | null>(null);
  const [paired, setPaired] = useState<PairResponse | null>(null);
  const isDevice = auth().kind === 'device' && paired === null;
  const me = useQuery({ ...meReadOptions(), enabled: !code || isDevice, retry: false });
  if (paired) return <Done paired={paired} />;
  const cancel = () => {
    forgetCode(); // the form would look it up again at once
    setFound(null);
  };
  if (found) return <Confirmation {...found} onBack={cancel} onPaired={setPaired} />;
  if (isDevice || (me.data && !code))
    return <Already isDevice={isDevice} name={me.data?.name} email={me.data?.email} />;
  return (
    <CodeForm
      code={code}
      about={
        params.has('ended')
          ? 'This phone is no longer paired, and its data was removed. To pair it again, show a new code.'
          : 'Sign in on your computer and choose Account, Devices, Pair a phone. Enter the code it shows.'
      }
      onFound={(entered, account) => setFound({ code: entered, account })}
    />
  );
}

function Already({ isDevice, name, email }: { isDevice: boolean; name?: string; email?: string }) {
  return (
    <PublicPage
      title={isDevice ? 'This phone is paired' : 'You are signed in'}
      about={isDevice ? 'It acts as you until it is unpaired.' : 'This browser has a session. It needs no code.'}
    >
      <Stack>
        {name && (
          <Text size="sm">
            <strong>{name}</strong>
            <br />
            {email}
          </Text>
        )}
        <Button component={Link} href="/" mih="var(--target)">
          Open the inbox
        </Button>
        <HomeScreen />
      </Stack>
    </PublicPage>
  );
}
