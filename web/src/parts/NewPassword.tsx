import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePasswordCheck } from '@/parts/usePasswordCheck';

const SHORTEST = 10;

type Props = {
  label?: string;
  value: string;
  /** The address of the account, which is no good password for it. */
  email?: string;
  error?: ReactNode;
  onChange: (value: string) => void;
  autoFocus?: boolean;
};

/** A password that is chosen. It says how many characters are missing, and why the service would refuse it. */
export function NewPassword({ label = 'New password', value, email = '', error, onChange, autoFocus }: Props) {
  const missing = SHORTEST - [...value].length;
  const refusal = usePasswordCheck(value, email, missing <= 0);
  const hint =
    value !== '' && missing > 0
      ? `${missing} more ${missing === 1 ? 'character' : 'characters'} needed.`
      : (refusal ?? 'At least 10 characters. Several words work well.');
  return (
    <PasswordInput
      label={label}
      description={<span aria-live="polite">{hint}</span>}
      autoComplete="new-password"
      required
      value={value}
      error={error}
      autoFocus={autoFocus}
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
