import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { devicesPreviewPairing, type PairingPreview } from '@/api';
import { isProblem, message } from '@/lib/requests/problems';
import { instanceName } from '@/parts/PageHeader';
import { PublicPage } from '@/parts/PublicPage';
import classes from '@/screens/pair/Pair.module.css';

type Props = { code: string; about: string; onFound: (code: string, account: PairingPreview) => void };

/** The code, as it came or as it is typed. A code that came with the address is looked up at once. */
export function CodeForm({ code, about, onFound }: Props) {
  const [typed, setTyped] = useState(code);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const look = async (pairingCode: string) => {
    setBusy(true);
    setFault('');
    try {
      const { data } = await devicesPreviewPairing({ body: { code: pairingCode }, throwOnError: true });
      onFound(pairingCode, data);
    } catch (refusal) {
      setFault(words(refusal));
      setBusy(false);
    }
  };
  const begun = useRef(false);
  const begin = useEffectEvent(() => {
    if (code && !begun.current) void look(code);
    begun.current = true;
  });
  useEffect(() => begin(), [code]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void look(typed.trim());
  };
  return (
    <PublicPage title={`Pair a phone with ${instanceName()}`} about={about}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Code"
            placeholder="ABCD-EFGH"
            required
            maxLength={64}
            value={typed}
            error={fault}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            size="md"
            classNames={{ input: classes.code }}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy} disabled={!typed.trim()} mih="var(--target)">
            Continue
          </Button>
        </Stack>
      </form>
    </PublicPage>
  );
}

/** The sentence for a refused code. */
export function words(fault: unknown): string {
  if (isProblem(fault) && fault.code === 'pairing_invalid')
    return 'This code does not work: it was mistyped or already used, is older than five minutes, or was replaced by a newer one.';
  if (isProblem(fault) && fault.code === 'rate_limited') return 'Too many attempts. Wait a few minutes.';
  return message(fault);
}
