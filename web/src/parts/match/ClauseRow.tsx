import { ActionIcon, Autocomplete, MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import type { FieldRecord, OperatorRecord, Vocabulary } from '@/api';
import { rulesSuggestionsOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { textOf } from '@/lib/words/text';
import { SEVERITY_WORD, type Severity } from '@/lib/words/words';
import classes from '@/parts/match/Match.module.css';
import type { Clause } from '@/parts/match/tree';

type Props = {
  index: number;
  clause: Clause;
  vocabulary: Vocabulary;
  onChange: (clause: Clause) => void;
  onRemove: () => void;
};
type Form = OperatorRecord['value'];

/** One condition: field, operator, value. The choices come from the vocabulary, the values from recent events. */
export function ClauseRow({ index, clause, vocabulary, onChange, onRemove }: Props) {
  const path = clause.field.startsWith('metadata.') ? clause.field.slice('metadata.'.length) : null;
  const field =
    vocabulary.fields.find((each) => each.name === (path === null ? clause.field : 'metadata')) ??
    vocabulary.fields[0]!;
  const form = formOf(vocabulary, clause.op);
  const nth = `of condition ${index + 1}`;
  const choose = (name: string | null) => {
    const next = vocabulary.fields.find((each) => each.name === name);
    if (!next) return;
    const op =
      next.name === 'severity'
        ? 'gte'
        : next.ops.includes(clause.op as OperatorRecord['op'])
          ? clause.op
          : next.ops[0]!;
    onChange({ field: next.takesPath ? `${next.name}.` : next.name, op, value: emptyOf(formOf(vocabulary, op), next) });
  };
  const operate = (op: string | null) => {
    if (op === null) return;
    const after = formOf(vocabulary, op);
    onChange({
      ...clause,
      op,
      value: after === form || (after === 'pattern' && form === 'value') ? clause.value : emptyOf(after, field),
    });
  };
  return (
    <fieldset className={classes.clause}>
      <legend className="only-for-readers">Condition {index + 1}</legend>
      <Select
        aria-label={`Field ${nth}`}
        value={field.name}
        data={vocabulary.fields.map((each) => ({ value: each.name, label: each.label }))}
        onChange={choose}
        allowDeselect={false}
        maxDropdownHeight={320}
      />
      {path !== null && (
        <Suggested
          field="metadata"
          label={`Metadata field ${nth}`}
          value={path}
          placeholder="team"
          onChange={(next) => onChange({ ...clause, field: `metadata.${next.replace(/^metadata\./, '')}` })}
        />
      )}
      <Select
        aria-label={`Operator ${nth}`}
        value={clause.op}
        onChange={operate}
        allowDeselect={false}
        data={vocabulary.operators
          .filter((each) => field.ops.includes(each.op))
          .map((each) => ({ value: each.op, label: each.label }))}
      />
      <div className={classes.value}>
        <Value
          label={`Value ${nth}`}
          form={form}
          field={field}
          clause={clause}
          onChange={(value) => onChange({ ...clause, value })}
        />
      </div>
      <ActionIcon aria-label={`Remove condition ${index + 1}`} onClick={onRemove}>
        <Trash2 size={16} aria-hidden />
      </ActionIcon>
    </fieldset>
  );
}

type ValueProps = { label: string; form: Form; field: FieldRecord; clause: Clause; onChange: (value: unknown) => void };

function Value({ label, form, field, clause, onChange }: ValueProps) {
  const { value } = clause;
  const closed = field.values?.map((each) => ({ value: each, label: SEVERITY_WORD[each as Severity] ?? each }));
  if (form === 'boolean') {
    return (
      <Select
        aria-label={label}
        allowDeselect={false}
        value={String(value)}
        data={[
          { value: 'true', label: 'yes' },
          { value: 'false', label: 'no' },
        ]}
        onChange={(next) => onChange(next === 'true')}
      />
    );
  }
  const list = Array.isArray(value) ? value.map(String) : [];
  if (form === 'list' && closed)
    return (
      <MultiSelect
        aria-label={label}
        data={closed}
        value={list}
        onChange={onChange}
        placeholder={list.length ? undefined : 'Choose'}
      />
    );
  if (form === 'list')
    return (
      <Several
        label={label}
        field={clause.field}
        value={list}
        onChange={(next) => onChange(next.map((each) => typed(each, field)))}
      />
    );
  if (closed)
    return <Select aria-label={label} data={closed} value={textOf(value)} onChange={onChange} allowDeselect={false} />;
  if (form === 'number')
    return (
      <TextInput
        aria-label={label}
        inputMode="decimal"
        value={textOf(value)}
        placeholder="90"
        onChange={(event) => onChange(typed(event.currentTarget.value, field))}
      />
    );
  if (form === 'pattern')
    return (
      <TextInput
        aria-label={label}
        className="mono"
        spellCheck={false}
        placeholder="^host:db"
        value={textOf(value)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  const offered = field.hasSuggestions ? clause.field : null;
  return (
    <Suggested
      field={offered}
      label={label}
      value={textOf(value)}
      onChange={(next) => onChange(clause.op === 'eq' || clause.op === 'ne' ? typed(next, field) : next)}
    />
  );
}

function Suggested({
  field,
  label,
  value,
  placeholder,
  onChange,
}: {
  field: string | null;
  label: string;
  value: string;
  placeholder?: string;
  onChange: (value: string) => void;
}) {
  const data = useSuggestions(field, value);
  return (
    <Autocomplete
      aria-label={label}
      value={value}
      data={data}
      placeholder={placeholder}
      onChange={onChange}
      filter={({ options }) => options}
      spellCheck={false}
    />
  );
}

function Several({
  label,
  field,
  value,
  onChange,
}: {
  label: string;
  field: string;
  value: string[];
  onChange: (value: string[]) => void;
}) {
  const data = useSuggestions(field, '');
  return (
    <TagsInput
      aria-label={label}
      value={value}
      data={data}
      onChange={onChange}
      placeholder={value.length ? undefined : 'Value, then Enter'}
    />
  );
}

/** Values of recent events that begin with what is written. */
function useSuggestions(field: string | null, prefix: string): string[] {
  const { workspace } = useWorkspace();
  const [settled] = useDebouncedValue(prefix, 250);
  const isAsked = field !== null && field !== 'metadata.' && !['body', 'title', 'url'].includes(field);
  const query = useQuery({
    ...rulesSuggestionsOptions({
      query: { workspaceId: workspace.id, field: field ?? 'tags', prefix: settled.slice(0, 200) },
    }),
    enabled: isAsked,
    retry: false,
    placeholderData: keepPreviousData,
  });
  if (!isAsked || query.error) return [];
  return [...new Set((query.data?.items ?? []).map((each) => String(each.value).replace(/^metadata\./, '')))];
}

function formOf(vocabulary: Vocabulary, op: string): Form {
  return vocabulary.operators.find((each) => each.op === op)?.value ?? 'value';
}

function emptyOf(form: Form, field: FieldRecord): unknown {
  if (form === 'boolean') return true;
  if (form === 'list') return [];
  return field.name === 'severity' ? 'ERROR' : (field.values?.[0] ?? '');
}

/** Metadata compares by type: what looks like a number, `true` or `false` is one. Other fields are text. */
function typed(text: string, field: FieldRecord): unknown {
  if (field.kind !== 'metadata') return text;
  if (/^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}
