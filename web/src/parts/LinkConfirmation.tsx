import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLinkToken } from '@/lib/navigation/linkToken';
import { isProblem, message } from '@/lib/requests/problems';
import { InvalidLink } from '@/parts/InvalidLink';
import { FormSummary } from '@/parts/ProblemAlert';
import { PublicPage } from '@/parts/PublicPage';

type Props<Done> = {
  title: string;
  about: string;
  word: string;
  invalid: { about: string; next: { href: string; word: string } };
  confirm: (token: string) => Promise<Done>;
  done: (result: Done) => ReactNode;
};

/** A page that uses the token of a link after one press: programs that only open links in mails confirm nothing. */
export function LinkConfirmation<Done>({ title, about, word, invalid, confirm, done }: Props<Done>) {
  const token = useLinkToken();
  const [isInvalid, setInvalid] = useState(token === '');
  const [result, setResult] = useState<{ value: Done } | null>(null);
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<string[]>([]);
  const press = async () => {
    setBusy(true);
    setFaults([]);
    try {
      setResult({ value: await confirm(token) });
    } catch (fault) {
      if (isProblem(fault) && (fault.code === 'token_invalid' || fault.status === 404)) setInvalid(true);
      else setFaults([message(fault)]);
    } finally {
      setBusy(false);
    }
  };
  if (isInvalid) return <InvalidLink {...invalid} />;
  if (result) return <>{done(result.value)}</>;
  return (
    <PublicPage title={title} about={about}>
      <FormSummary faults={faults} />
      <Button loading={busy} onClick={() => void press()} autoFocus>
        {word}
      </Button>
    </PublicPage>
  );
}
