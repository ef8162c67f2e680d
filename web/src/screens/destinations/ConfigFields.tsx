import { Anchor, Checkbox, PasswordInput, Select, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ConfigField } from '@/api';
import { textOf } from '@/lib/words/text';
import type { Config } from '@/screens/destinations/kinds';
import { askAgain, isStored } from '@/screens/destinations/secretPlaces';

type Props = {
  fields: ConfigField[];
  // The form holds further values; these fields read and write `config` alone.
  form: Pick<UseFormReturnType<{ config: Config }>, 'getInputProps' | 'setFieldValue' | 'values'>;
  /** The settings of a known destination, for the ends of its secrets. */
  existing: Record<string, unknown> | null;
};

/** The fields of a kind as its description says. */
export function ConfigFields({ fields, form, existing }: Props) {
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      form={form}
      existing={existing}
      question={existing && askAgain(field, fields, existing, form.values.config)}
    />
  ));
}

type FieldProps = Omit<Props, 'fields'> & {
  field: ConfigField;
  /** Why a stored secret must be entered again. */
  question: string | null;
};

function Field({ field, form, existing, question }: FieldProps) {
  const path = `config.${field.name}`;
  const shared = { label: field.label, description: field.help };
  if (field.type === 'flag') return <Checkbox {...shared} {...form.getInputProps(path, { type: 'checkbox' })} />;
  const input = {
    ...shared,
    required: field.required && !(field.secret && existing !== null),
    maxLength: field.maxLength ?? undefined,
    placeholder: field.example,
    ...form.getInputProps(path),
  };
  if (field.type === 'choice') return <Select {...input} data={field.choices} allowDeselect={!field.required} />;
  if (field.secret) {
    const end = textOf(field.hintName ? existing?.[field.hintName] : '');
    const hasStored = isStored(field, existing);
    if (hasStored && form.values.config[field.name] === null)
      return (
        <Removed label={field.label} onKeep={() => form.setFieldValue(path, '')}>
          {end}
        </Removed>
      );
    return (
      <div>
        <PasswordInput
          {...input}
          description={question && !input.error ? <Question>{question}</Question> : field.help}
          autoComplete="off"
          required={input.required || (hasStored && question !== null)}
          placeholder={
            hasStored && !question ? `Stored${end ? ` (${end})` : ''}. Leave it empty to keep it.` : field.example
          }
        />
        {hasStored && !field.required && (
          <Anchor component="button" type="button" size="xs" onClick={() => form.setFieldValue(path, null)}>
            Remove the {field.label.toLowerCase()}
          </Anchor>
        )}
      </div>
    );
  }
  if (field.type === 'url') return <TextInput {...input} type="url" inputMode="url" />;
  return <TextInput {...input} inputMode={field.type === 'number' ? 'numeric' : undefined} />;
}

/** What a person must do at a field, read out when it appears. */
function Question({ children }: { children: string }) {
  return (
    <Text span inherit role="status" fw={600} c="var(--text)">
      {children}
    </Text>
  );
}

/** A stored secret that goes when the form is saved. */
function Removed({ label, children, onKeep }: { label: string; children: string; onKeep: () => void }) {
  return (
    <Text size="sm" role="status">
      {label} ({children}) is removed when you save.{' '}
      <Anchor component="button" type="button" size="sm" onClick={onKeep}>
        Keep it
      </Anchor>
    </Text>
  );
}
