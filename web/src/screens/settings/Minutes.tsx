import { Input, NumberInput, Select } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import classes from '@/screens/settings/Settings.module.css';
import { type Unit, UNITS, unitOf } from '@/screens/settings/units';

type Props = {
  label: string;
  about?: string;
  value?: number;
  error?: ReactNode;
  onChange?: (value: number) => void;
  onBlur?: () => void;
};

/** A length of time in the unit that fits it. The value is in minutes. */
export function Minutes({ label, about, value = 0, error, onChange, onBlur }: Props) {
  const id = useId();
  const [chosen, setChosen] = useState<Unit | null>(null);
  const unit = chosen && value % UNITS[chosen] === 0 ? chosen : unitOf(value);
  const count = value / UNITS[unit];
  return (
    <Input.Wrapper label={label} description={about} error={error} id={id} labelProps={{ htmlFor: id }}>
      <div className={classes.minutes}>
        <NumberInput
          id={id}
          min={0}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          value={count}
          error={Boolean(error)}
          onBlur={onBlur}
          onChange={(next) => {
            setChosen(unit);
            onChange?.((Number(next) || 0) * UNITS[unit]);
          }}
        />
        <Select
          aria-label={`Unit: ${label}`}
          data={Object.keys(UNITS)}
          allowDeselect={false}
          value={unit}
          onChange={(next) => {
            setChosen(next as Unit);
            onChange?.(count * UNITS[next as Unit]);
          }}
        />
      </div>
    </Input.Wrapper>
  );
}
