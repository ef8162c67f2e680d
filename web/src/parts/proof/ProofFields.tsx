import { Button, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { hasPasskeys } from '@/lib/session/passkey';
import { FormSummary } from '@/parts/ProblemAlert';
import { type Factor, proofOf, refusalOf } from '@/parts/proof/factors';

export const FACTOR_WORD: Record<Factor, string> = {
  passkey: 'Passkey',
  totp: 'Authenticator app',
  password: 'Password',
  recovery_code: 'Recovery code',
};
const ORDER: readonly Factor[] = ['passkey', 'totp', 'password', 'recovery_code'];

type Props = {
  factors: readonly string[];
  /** Sends the proof; throws a problem when it is refused. */
  prove: (factor: Factor, value: string) => Promise<void>;
  submitWord: string;
  /** Further fields above the button, by the chosen factor. */
  more?: (factor: Factor) => ReactNode;
};

/** One proof of identity, by a factor that the person chooses among those offered. */
export function ProofFields({ factors, prove, submitWord, more }: Props) {
  const offered = ORDER.filter((factor) => factors.includes(factor) && (factor !== 'passkey' || hasPasskeys()));
  const [factor, setFactor] = useState<Factor>(offered[0] ?? 'password');
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<string[]>([]);

  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    setBusy(true);
    setFaults([]);
    try {
      await prove(factor, proofOf(factor, value));
    } catch (fault) {
      setFaults([refusalOf(factor, fault)]);
      setValue('');
    } finally {
      setBusy(false);
    }
  };

  if (offered.length === 0)
    return factors.includes('oidc') ? null : (
      <Text>This browser cannot use the passkey of this account. Open the page in a browser that can.</Text>
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        {offered.length > 1 && (
          <FactorChoice
            offered={offered}
            factor={factor}
            setFactor={setFactor}
            setValue={setValue}
            setFaults={setFaults}
          />
        )}
        <FormSummary faults={faults} />
        {factor === 'password' && (
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            value={value}
            required
            data-autofocus
            onChange={(event) => setValue(event.currentTarget.value)}
          />
        )}
        {factor === 'totp' && (
          <TextInput
            label="Code"
            description="Six digits from your authenticator app."
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
            maxLength={8}
            data-autofocus
          />
        )}
        {factor === 'recovery_code' && <RecoveryCode value={value} setValue={setValue} />}
        {more?.(factor)}
        <Button
          type="submit"
          loading={busy}
          leftSection={factor === 'passkey' ? <KeyRound size={16} aria-hidden /> : undefined}
        >
          {factor === 'passkey' ? 'Use a passkey' : submitWord}
        </Button>
      </Stack>
    </form>
  );
}

type RecoveryCodeProps = {
  value: string;
  setValue: (value: string) => void;
};

function RecoveryCode({ value, setValue }: RecoveryCodeProps) {
  return (
    <TextInput
      label="Recovery code"
      description="Each code works once."
      autoComplete="off"
      required
      value={value}
      onChange={(event) => setValue(event.currentTarget.value)}
      data-autofocus
    />
  );
}

type FactorChoiceProps = {
  offered: Factor[];
  factor: Factor;
  setFactor: (factor: Factor) => void;
  setValue: (value: string) => void;
  setFaults: (faults: string[]) => void;
};

/** The factors among which the person chooses. */
function FactorChoice({ offered, factor, setFactor, setValue, setFaults }: FactorChoiceProps) {
  return (
    <SegmentedControl
      fullWidth
      orientation={offered.length > 2 ? 'vertical' : 'horizontal'}
      value={factor}
      onChange={(next) => {
        setFactor(next);
        setValue('');
        setFaults([]);
      }}
      data={offered.map((each) => ({ value: each, label: FACTOR_WORD[each] }))}
      aria-label="How to confirm your identity"
    />
  );
}
