import type { SourceMapping } from '@/api';
import {
  draftOf,
  labelOf,
  type Table,
  type Text,
  TEXT_FIELDS,
  TIME_LABEL,
  TIME_MEANINGS,
} from '@/screens/sources/mapping/draft';

const FIELDS: readonly { name: keyof SourceMapping; label: string }[] = [
  { name: 'items', label: 'Items' },
  ...TEXT_FIELDS,
  { name: 'timeMeaning', label: TIME_LABEL },
  ...(['severity', 'action', 'tags', 'metadata'] as const).map((name) => ({ name, label: labelOf(name) })),
];

/** Each field of a mapping in words by its label in the form, also an empty one: to compare two mappings. */
export function wordsOf(mapping: SourceMapping | null): Record<string, string> {
  const { items, texts, timeMeaning, severity, action, tags, metadata } = draftOf(mapping);
  const words: Record<keyof SourceMapping, string> = {
    ...(Object.fromEntries(TEXT_FIELDS.map(({ name }) => [name, ofText(texts[name])])) as Record<
      (typeof TEXT_FIELDS)[number]['name'],
      string
    >),
    items,
    timeMeaning: TIME_MEANINGS.find(({ value }) => value === timeMeaning && value !== 'beginning')?.label ?? '',
    severity: ofTable(severity),
    action: ofTable(action),
    tags: tags.join(', '),
    metadata: metadata.map(({ name, template }) => `${name}: ${template}`).join('; '),
  };
  return Object.fromEntries(FIELDS.map(({ name, label }) => [label, words[name]]));
}

/** Their mapping with those fields of mine that have these labels. */
export function withFields(
  latest: SourceMapping | null,
  edited: SourceMapping,
  labels: readonly string[],
): SourceMapping {
  const fields = FIELDS.map(({ name, label }) => [name, (labels.includes(label) ? edited : latest)?.[name]]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as SourceMapping;
}

function ofText({ template, default: otherwise }: Text): string {
  return [template, otherwise && `otherwise ${otherwise}`].filter(Boolean).join('; ');
}

function ofTable({ template, default: otherwise, words }: Table): string {
  const meanings = words.map(({ word, value }) => `${word}: ${meaning(value)}`);
  return [template, ...meanings, otherwise && `otherwise ${meaning(otherwise)}`].filter(Boolean).join('; ');
}

/** "Critical" of `CRITICAL`, "Resolve" of `resolve`. */
function meaning(value: string): string {
  return value.charAt(0).toUpperCase() + value.slice(1).toLowerCase();
}
