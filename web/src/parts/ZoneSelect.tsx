import { Select } from '@mantine/core';

type Props = {
  label?: string;
  description?: string;
  value: string;
  onChange: (zone: string) => void;
  error?: React.ReactNode;
  disabled?: boolean;
};

/** The time zones that the browser knows, and the one that is set. */
export function ZoneSelect({ label = 'Time zone', description, value, onChange, error, disabled }: Props) {
  const supported = Intl.supportedValuesOf('timeZone');
  const zones = [...new Set([value, 'UTC', ...supported])].filter(Boolean);
  return (
    <Select
      label={label}
      description={description}
      searchable
      data={zones}
      value={value}
      limit={100}
      allowDeselect={false}
      error={error}
      disabled={disabled}
      nothingFoundMessage="No such time zone"
      maxDropdownHeight={280}
      onChange={(zone) => zone && onChange(zone)}
    />
  );
}
