import { Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';
import type { SourceKind, SourceKindField } from '@/api';
import { choiceLabel, type FieldValues } from '@/screens/sources/kinds/fields';

type Props = {
  fields: readonly SourceKindField[];
  kinds: readonly SourceKind[];
  values: FieldValues;
  /** By the field of the form: that of a kind is in `extra`. */
  faults: Record<string, string>;
  onChange: (values: FieldValues) => void;
};

/** The fields of a kind as its description says. A field of an unknown type is a text. */
export function SourceFields({ fields, ...rest }: Props) {
  return fields.map((field) => <Field key={field.name} field={field} {...rest} />);
}

function Field({ field, kinds, values, faults, onChange }: { field: SourceKindField } & Omit<Props, 'fields'>) {
  const shared = { label: field.label, description: field.help, error: faults[`extra.${field.name}`] };
  const set = (value: string | boolean) => onChange({ ...values, [field.name]: value });
  const value = values[field.name];
  if (field.type === 'flag')
    return <Checkbox {...shared} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
  const input = { ...shared, required: field.required, value: typeof value === 'string' ? value : '' };
  if (field.type === 'choice')
    return (
      <Select
        {...input}
        data={[
          ...(field.required ? [] : [{ value: '', label: 'None' }]),
          ...field.choices.map((choice) => ({ value: choice, label: choiceLabel(kinds, choice) })),
        ]}
        allowDeselect={false}
        onChange={(choice) => set(choice ?? '')}
      />
    );
  const text = { ...input, onChange: (event: ChangeEvent<HTMLInputElement>) => set(event.currentTarget.value) };
  if (field.type === 'secret') return <PasswordInput {...text} maxLength={256} autoComplete="off" />;
  return <TextInput {...text} maxLength={512} spellCheck={false} classNames={{ input: 'mono' }} />;
}

/** The errors of a form whose fields of kinds are in `extra`. */
export function withExtra(errors: Record<string, string>, fields: readonly SourceKindField[]): Record<string, string> {
  const names = new Set(fields.map((field) => field.name));
  return Object.fromEntries(
    Object.entries(errors).map(([name, text]) => [names.has(name) ? `extra.${name}` : name, text]),
  );
}
