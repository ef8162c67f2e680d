import { NumberInput, Text } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = {
  label: string;
  unit: string;
  about?: string;
  least?: number;
  value?: number;
  error?: ReactNode;
  onChange?: (value: number) => void;
  onBlur?: () => void;
};

/** A whole number with its unit. */
export function Amount({ label, unit, about, least = 0, value, error, onChange, onBlur }: Props) {
  return (
    <NumberInput
      label={label}
      description={about}
      min={least}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      value={value ?? least}
      error={error}
      onBlur={onBlur}
      rightSection={
        <Text size="xs" className="soft" pr="sm">
          {unit}
        </Text>
      }
      rightSectionWidth={86}
      rightSectionPointerEvents="none"
      onChange={(next) => onChange?.(typeof next === 'number' ? next : Number(next) || least)}
    />
  );
}
