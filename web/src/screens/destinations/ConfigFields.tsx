import { Anchor, Checkbox, PasswordInput, Select, Text, Textarea, TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';
import type { ConfigField } from '@/api';
import { choiceWord } from '@/lib/words/choices';
import { textOf } from '@/lib/words/text';
import type { Config } from '@/screens/destinations/kinds';
import { askAgain, isStored } from '@/screens/destinations/secretPlaces';

type Props = {
  fields: ConfigField[];
  values: Config;
  /** By the field of the form, such as `config.url`. */
  faults: Record<string, string>;
  onChange: (values: Config) => void;
  /** The settings of a known destination, for the ends of its secrets. */
  existing: Record<string, unknown> | null;
};

/** The fields of a kind as its description says. */
export function ConfigFields({ fields, existing, ...rest }: Props) {
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      existing={existing}
      question={existing && askAgain(field, fields, existing, rest.values)}
      {...rest}
    />
  ));
}

type FieldProps = Omit<Props, 'fields'> & {
  field: ConfigField;
  /** Why a stored secret must be entered again. */
  question: string | null;
};

function Field({ field, values, faults, onChange, existing, question }: FieldProps) {
  const shared = { label: field.label, description: field.help, error: faults[`config.${field.name}`] };
  const set = (next: Config[string]) => onChange({ ...values, [field.name]: next });
  const value = values[field.name] ?? null;
  if (field.type === 'flag')
    return <Checkbox {...shared} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
  const text = {
    ...shared,
    required: field.required && !(field.secret && existing !== null),
    maxLength: field.maxLength ?? undefined,
    placeholder: field.example,
    value: textOf(value),
  };
  if (field.type === 'choice')
    return (
      <Select
        {...text}
        data={field.choices.map((choice) => ({ value: choice, label: choiceWord(choice) }))}
        allowDeselect={!field.required}
        onChange={(each) => set(each ?? '')}
      />
    );
  const input = { ...text, onChange: (event: ChangeEvent<HTMLInputElement>) => set(event.currentTarget.value) };
  if (field.secret) {
    const end = textOf(field.hintName ? existing?.[field.hintName] : '');
    const hasStored = isStored(field, existing);
    if (hasStored && value === null)
      return (
        <Removed label={field.label} onKeep={() => set('')}>
          {end}
        </Removed>
      );
    const secret = {
      ...text,
      description: question && !text.error ? <Question>{question}</Question> : field.help,
      autoComplete: 'off',
      required: text.required || (hasStored && question !== null),
      placeholder:
        hasStored && !question ? `Stored${end ? ` (${end})` : ''}. Leave it empty to keep it.` : field.example,
    };
    return (
      <div>
        {field.type === 'headers' ? (
          <Textarea
            {...secret}
            autosize
            minRows={2}
            maxRows={10}
            onChange={(event) => set(event.currentTarget.value)}
          />
        ) : (
          <PasswordInput {...secret} onChange={input.onChange} />
        )}
        {hasStored && !field.required && (
          <Anchor component="button" type="button" size="xs" onClick={() => set(null)}>
            Remove the {field.label.toLowerCase()}
          </Anchor>
        )}
      </div>
    );
  }
  if (field.type === 'template')
    return (
      <Textarea {...text} autosize minRows={3} maxRows={20} onChange={(event) => set(event.currentTarget.value)} />
    );
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
