import type { SourceKind, SourceKindField, SourceRecord } from '@/api';
import { choiceWord } from '@/lib/words/choices';
import { textOf } from '@/lib/words/text';

export type FieldValues = Record<string, string | boolean>;

/** The fields of the source that a form has: those of one kind, or of all kinds, each once. A mapping has a tab of its own. */
export function sourceFields(kinds: readonly SourceKind[], kind?: string): SourceKindField[] {
  const found = kinds
    .filter((each) => kind === undefined || each.kind === kind)
    .flatMap((each) => each.fields)
    .filter((field) => field.of === 'source' && field.type !== 'mapping');
  return [...new Map(found.map((field) => [field.name, field])).values()];
}

/** The field of a key of this kind, such as the secret of a tool that signs. */
export function keyFieldOf(kinds: readonly SourceKind[], kind: string | null): SourceKindField | undefined {
  return kinds.find((each) => each.kind === kind)?.fields.find((field) => field.of === 'key');
}

/** What the fields hold for a source, or for a new one: its first choice where one is required. A secret is never shown. */
export function fieldValues(fields: readonly SourceKindField[], source: SourceRecord | null): FieldValues {
  const stored = (source ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    fields.map(({ name, type, required, choices }) => [
      name,
      type === 'flag'
        ? stored[name] === true
        : type === 'secret'
          ? ''
          : textOf(stored[name]) || (required ? (choices[0] ?? '') : ''),
    ]),
  );
}

/** What a write sends of the fields: null for an empty one, and nothing for a secret that was left empty. */
export function fieldBody(fields: readonly SourceKindField[], values: FieldValues): Record<string, unknown> {
  const sent = fields.filter(({ name, type }) => type !== 'secret' || values[name] !== '');
  return Object.fromEntries(
    sent.map(({ name, type }) => [name, type === 'flag' ? values[name] === true : values[name] || null]),
  );
}

/** A choice that is named like a kind has its label. */
export function choiceLabel(kinds: readonly SourceKind[], choice: string): string {
  return kinds.find((each) => each.kind === choice)?.label ?? choiceWord(choice);
}

/** "Legacy push messages and Mail": the kinds that these fields matter to. */
export function kindsWith(kinds: readonly SourceKind[], fields: readonly SourceKindField[]): string[] {
  const names = new Set(fields.map((field) => field.name));
  return kinds
    .filter((kind) => kind.fields.some((field) => field.of === 'source' && names.has(field.name)))
    .map((kind) => kind.label);
}
