import { Input, NumberInput, Select } from '@mantine/core';
import { useId } from 'react';
import { mostOf, type Span, type Unit, UNIT_SECONDS } from '@/screens/heartbeats/draft';
import classes from '@/screens/heartbeats/Heartbeats.module.css';

type Props = {
  label: string;
  description?: string;
  value: Span;
  onChange: (value: Span) => void;
  error?: string;
};

/** A length of time: a whole number and its unit. */
export function SpanField({ label, description, value, onChange, error }: Props) {
  const id = useId();
  const units = (Object.keys(UNIT_SECONDS) as Unit[]).filter((each) => each !== 'seconds' || value.unit === 'seconds');
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error}
      id={id}
      labelProps={{ htmlFor: id }}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
    >
      <div className={classes.span} style={{ marginTop: description ? 4 : 0 }}>
        <NumberInput
          id={id}
          min={1}
          max={mostOf(value.unit)}
          allowDecimal={false}
          allowNegative={false}
          value={value.count}
          error={Boolean(error)}
          onChange={(count) => onChange({ ...value, count: count === '' ? '' : Number(count) })}
        />
        <Select
          aria-label={`Unit: ${label}`}
          data={units}
          allowDeselect={false}
          value={value.unit}
          onChange={(unit) => unit && onChange({ ...value, unit })}
        />
      </div>
    </Input.Wrapper>
  );
}
