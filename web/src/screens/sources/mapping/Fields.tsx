import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { Plus, X } from 'lucide-react';
import styles from '@/parts/styles.module.css';
import {
  ACTIONS,
  type Draft,
  FIRST_WORD,
  type Table,
  type Target,
  TEXT_FIELDS,
  TIME_LABEL,
  TIME_MEANINGS,
  type TimeMeaning,
} from '@/screens/sources/mapping/draft';
import { SEVERITY_CHOICES } from '@/screens/sources/NewSource';

type Props = {
  draft: Draft;
  faults: Record<string, string>;
  arrays: string[];
  onChange: (draft: Draft) => void;
  onTarget: (target: Target) => void;
};

/** The fields of an event, each with its text of paths. */
export function Fields({ draft, faults, arrays, onChange, onTarget }: Props) {
  const table = (name: 'severity' | 'action') => ({
    name,
    value: draft[name],
    fault: faults[`${name}.template`],
    onTarget: () => onTarget(name),
    onChange: (value: Table) => onChange({ ...draft, [name]: value }),
  });
  return (
    <Stack>
      <Autocomplete
        label="Items"
        description="The path to the items. Each item becomes one event. Leave empty to make the whole payload one event."
        placeholder="alerts[*]"
        data={arrays}
        value={draft.items}
        error={faults.items}
        classNames={{ input: 'mono' }}
        onChange={(items) => onChange({ ...draft, items })}
      />
      {TEXT_FIELDS.map(({ name, label }) => (
        <SimpleGrid key={name} cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={4}>
          <TextInput
            label={label}
            value={draft.texts[name].template}
            error={faults[`${name}.template`]}
            maxLength={500}
            classNames={{ input: 'mono' }}
            onFocus={() => onTarget(name)}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...draft, texts: { ...draft.texts, [name]: { ...draft.texts[name], template: value } } })
            }
          />
          <TextInput
            label={`Fallback for ${label.toLowerCase()}`}
            value={draft.texts[name].default}
            error={faults[`${name}.default`]}
            maxLength={500}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...draft, texts: { ...draft.texts, [name]: { ...draft.texts[name], default: value } } })
            }
          />
        </SimpleGrid>
      ))}
      <Select
        label={TIME_LABEL}
        data={TIME_MEANINGS}
        value={draft.timeMeaning}
        allowDeselect={false}
        onChange={(value) => onChange({ ...draft, timeMeaning: value as TimeMeaning })}
      />
      <WordTable
        {...table('severity')}
        label="Severity"
        choices={SEVERITY_CHOICES}
        otherwise="The default of the source"
      />
      <WordTable {...table('action')} label="Action" choices={ACTIONS} otherwise="Trigger" />
      <TagsInput
        label="Tags"
        description="Each is a text with paths. Press Enter after each."
        value={draft.tags}
        maxTags={20}
        splitChars={[]}
        error={Object.entries(faults).find(([pointer]) => pointer.startsWith('tags'))?.[1]}
        classNames={{ input: 'mono' }}
        onFocus={() => onTarget('tags')}
        onChange={(tags) => onChange({ ...draft, tags })}
      />
      <Metadata draft={draft} faults={faults} onChange={onChange} onTarget={onTarget} />
    </Stack>
  );
}

type TableProps = {
  name: 'severity' | 'action';
  label: string;
  value: Table;
  fault: string | undefined;
  choices: { value: string; label: string }[];
  otherwise: string;
  onChange: (value: Table) => void;
  onTarget: () => void;
};

/** A text of paths, and what its words mean. */
function WordTable({ name, label, value, fault, choices, otherwise, onChange, onTarget }: TableProps) {
  const { words } = value;
  const replace = (index: number, change: Partial<Table['words'][number]>) =>
    onChange({ ...value, words: words.map((each, at) => (at === index ? { ...each, ...change } : each)) });
  return (
    <Stack gap={4}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={4}>
        <TextInput
          label={label}
          value={value.template}
          error={fault}
          maxLength={500}
          classNames={{ input: 'mono' }}
          onFocus={onTarget}
          onChange={({ currentTarget }) => onChange({ ...value, template: currentTarget.value })}
        />
        <Select
          label={`Fallback for ${label.toLowerCase()}`}
          data={[{ value: '', label: otherwise }, ...choices]}
          value={value.default}
          allowDeselect={false}
          onChange={(chosen) => onChange({ ...value, default: chosen ?? '' })}
        />
      </SimpleGrid>
      {words.map((each, index) => (
        <Group key={index} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={`${label} value ${index + 1}`}
            placeholder="value"
            value={each.word}
            maxLength={100}
            flex={1}
            classNames={{ input: 'mono' }}
            onChange={({ currentTarget }) => replace(index, { word: currentTarget.value })}
          />
          <Select
            aria-label={`Meaning of ${label.toLowerCase()} value ${index + 1}`}
            data={choices}
            value={each.value}
            allowDeselect={false}
            flex={1}
            onChange={(chosen) => chosen && replace(index, { value: chosen })}
          />
          <Remove
            label={`Remove ${label.toLowerCase()} value ${index + 1}`}
            onClick={() => onChange({ ...value, words: words.filter((_, at) => at !== index) })}
          />
        </Group>
      ))}
      <Add
        label={`Add a ${label.toLowerCase()} value`}
        onClick={() => onChange({ ...value, words: [...words, { word: '', value: FIRST_WORD[name] }] })}
      />
    </Stack>
  );
}

function Metadata({ draft, faults, onChange, onTarget }: Omit<Props, 'arrays'>) {
  const replace = (index: number, change: Partial<Draft['metadata'][number]>) =>
    onChange({ ...draft, metadata: draft.metadata.map((each, at) => (at === index ? { ...each, ...change } : each)) });
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        Metadata
      </Text>
      {draft.metadata.map((each, index) => (
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            aria-label={`Metadata name ${index + 1}`}
            value={each.name}
            maxLength={100}
            flex={1}
            onChange={({ currentTarget }) => replace(index, { name: currentTarget.value })}
          />
          <TextInput
            aria-label={`Metadata text ${index + 1}`}
            value={each.template}
            error={faults[`metadata.${each.name}.value`]}
            maxLength={500}
            flex={1}
            classNames={{ input: 'mono' }}
            onFocus={() => onTarget('metadata')}
            onChange={({ currentTarget }) => replace(index, { template: currentTarget.value })}
          />
          <Remove
            label={`Remove ${each.name || 'it'} from metadata`}
            onClick={() => onChange({ ...draft, metadata: draft.metadata.filter((_, at) => at !== index) })}
          />
        </Group>
      ))}
      <Add
        label="Add metadata"
        onClick={() => {
          onTarget('metadata');
          onChange({ ...draft, metadata: [...draft.metadata, { name: '', template: '' }] });
        }}
      />
    </Stack>
  );
}

function Add({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      variant="default"
      size="xs"
      mih="var(--target)"
      className={styles.start}
      leftSection={<Plus size={14} aria-hidden />}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}

function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon aria-label={label} onClick={onClick} miw="var(--target)" mih="var(--target)">
      <X size={16} aria-hidden />
    </ActionIcon>
  );
}
