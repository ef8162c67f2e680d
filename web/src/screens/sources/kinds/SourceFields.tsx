import { Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { SourceKind, SourceKindField } from '@/api';
import { choiceLabel, type FieldValues } from '@/screens/sources/kinds/fields';

type Props = {
  fields: readonly SourceKindField[];
  kinds: readonly SourceKind[];
  // The form holds further values; these fields read and write `extra` alone.
  form: Pick<UseFormReturnType<{ extra: FieldValues }>, 'getInputProps' | 'values'>;
};

/** The fields of a kind as its description says. A field of an unknown type is a text. */
export function SourceFields({ fields, ...rest }: Props) {
  return fields.map((field) => <Field key={field.name} field={field} {...rest} />);
}

function Field({ field, kinds, form }: { field: SourceKindField } & Omit<Props, 'fields'>) {
  const shared = { label: field.label, description: field.help };
  const path = `extra.${field.name}`;
  const value = form.values.extra[field.name];
  if (field.type === 'flag')
    return <Checkbox {...shared} {...form.getInputProps(path, { type: 'checkbox' })} checked={value === true} />;
  const input = {
    ...shared,
    required: field.required,
    ...form.getInputProps(path),
    value: typeof value === 'string' ? value : '',
  };
  if (field.type === 'secret') return <PasswordInput {...input} maxLength={256} autoComplete="off" />;
  if (field.type === 'choice')
    return (
      <Select
        {...input}
        data={[
          ...(field.required ? [] : [{ value: '', label: 'None' }]),
          ...field.choices.map((choice) => ({ value: choice, label: choiceLabel(kinds, choice) })),
        ]}
        allowDeselect={false}
      />
    );
  return <TextInput {...input} maxLength={512} spellCheck={false} classNames={{ input: 'mono' }} />;
}

/** The errors of a form whose fields of kinds are in `extra`. */
export function withExtra(errors: Record<string, string>, fields: readonly SourceKindField[]): Record<string, string> {
  const names = new Set(fields.map((field) => field.name));
  return Object.fromEntries(
    Object.entries(errors).map(([name, text]) => [names.has(name) ? `extra.${name}` : name, text]),
  );
}
