import type { SourceMapping } from '@/api';
import type { Severity } from '@/lib/words/words';

/** The fields that are texts, in the order of the form. */
export const TEXT_FIELDS = [
  { name: 'title', label: 'Title' },
  { name: 'dedupKey', label: 'Dedup key' },
  { name: 'resource', label: 'Resource' },
  { name: 'body', label: 'Body' },
  { name: 'url', label: 'Link' },
  { name: 'occurredAt', label: 'Event time' },
  { name: 'type', label: 'Type' },
  { name: 'externalId', label: 'External id' },
] as const;

export type TextName = (typeof TEXT_FIELDS)[number]['name'];
export type TimeMeaning = NonNullable<SourceMapping['timeMeaning']>;
export type Text = { template: string; default: string };
export type Word = { word: string; value: string };
export type Table = Text & { words: Word[] };

/** What the form holds. An empty template is none. */
export type Draft = {
  items: string;
  texts: Record<TextName, Text>;
  timeMeaning: TimeMeaning;
  severity: Table;
  action: Table;
  tags: string[];
  metadata: { name: string; template: string }[];
};

/** Where a picked path goes. */
export type Target = TextName | 'severity' | 'action' | 'tags' | 'metadata';

/** The name of the field in the form. */
export function labelOf(target: Target): string {
  const text = TEXT_FIELDS.find(({ name }) => name === target);
  return text?.label ?? target.charAt(0).toUpperCase() + target.slice(1);
}

export function draftOf(mapping: SourceMapping | null): Draft {
  const text = (from?: { template: string; default?: string }): Text => ({
    template: from?.template ?? '',
    default: from?.default ?? '',
  });
  const table = (from?: { template: string; default?: string; table?: { [word: string]: string } }): Table => ({
    ...text(from),
    words: Object.entries(from?.table ?? {}).map(([word, value]) => ({ word, value })),
  });
  return {
    items: mapping?.items ?? '',
    texts: Object.fromEntries(TEXT_FIELDS.map(({ name }) => [name, text(mapping?.[name])])) as Draft['texts'],
    timeMeaning: mapping?.timeMeaning ?? 'beginning',
    severity: table(mapping?.severity),
    action: table(mapping?.action),
    tags: mapping?.tags ?? [],
    metadata: Object.entries(mapping?.metadata ?? {}).map(([name, template]) => ({ name, template })),
  };
}

export function mappingOf(draft: Draft): SourceMapping {
  const text = ({ template, default: otherwise }: Text) => ({ template, ...(otherwise && { default: otherwise }) });
  const table = (from: Table) => {
    const words = from.words.filter(({ word }) => word.trim());
    return {
      ...text(from),
      ...(words.length > 0 && { table: Object.fromEntries(words.map((w) => [w.word, w.value])) }),
    };
  };
  const texts = TEXT_FIELDS.filter(({ name }) => isUsed(draft.texts[name]));
  const metadata = draft.metadata.filter(({ name, template }) => name.trim() && template.trim());
  return {
    ...(draft.items && { items: draft.items }),
    ...Object.fromEntries(texts.map(({ name }) => [name, text(draft.texts[name])])),
    ...(draft.timeMeaning !== 'beginning' && { timeMeaning: draft.timeMeaning }),
    ...(isUsed(draft.severity) && { severity: table(draft.severity) as SourceMapping['severity'] }),
    ...(isUsed(draft.action) && { action: table(draft.action) as SourceMapping['action'] }),
    ...(draft.tags.length > 0 && { tags: draft.tags }),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata.map((each) => [each.name, each.template])) }),
  };
}

/** The draft with a path put where the person was last. */
export function picked(draft: Draft, target: Target, path: string): Draft {
  const place = `{${path}}`;
  const name = path
    .split(/[.[\]"]+/)
    .filter((each) => each && each !== '*' && each !== '$' && each !== '@')
    .at(-1);
  if (target === 'tags') return { ...draft, tags: [...new Set([...draft.tags, place])] };
  if (target === 'metadata')
    return { ...draft, metadata: [...draft.metadata, { name: name ?? 'value', template: place }] };
  if (target === 'severity' || target === 'action')
    return { ...draft, [target]: { ...draft[target], template: draft[target].template + place } };
  const text = draft.texts[target];
  return { ...draft, texts: { ...draft.texts, [target]: { ...text, template: text.template + place } } };
}

function isUsed(text: Text): boolean {
  return text.template.trim() !== '' || text.default.trim() !== '';
}

export const TIME_LABEL = 'The time says';
/** The meanings of `occurredAt`, with their labels. */
export const TIME_MEANINGS: { value: TimeMeaning; label: string }[] = [
  { value: 'beginning', label: 'The beginning of the problem, equal in each report' },
  { value: 'moment', label: 'The moment of the report' },
];

/** The values of the tables of words. */
export const ACTIONS = [
  { value: 'trigger', label: 'Trigger' },
  { value: 'resolve', label: 'Resolve' },
];
export const FIRST_WORD: { severity: Severity; action: string } = { severity: 'CRITICAL', action: 'resolve' };
