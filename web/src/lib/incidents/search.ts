import type { IncidentsListData } from '@/api';
import { SEVERITIES, type Severity } from '@/lib/words/words';

export type IncidentFilters = Omit<
  NonNullable<IncidentsListData['query']>,
  'workspaceId' | 'limit' | 'cursor' | 'offset' | 'state'
>;
export type Token = { text: string; name: string; operator: ':' | '>='; value: string };
/** `unknown` says which words look like a filter with a slip. */
export type Search = { words: string; tokens: Token[]; unknown: string[] };
export type Named = { id: string; name: string };

/** The records that tokens name. Those that no token names may be absent. */
export type Names = {
  source: readonly Named[];
  rule?: readonly Named[];
  profile?: readonly Named[];
  person?: readonly Named[];
};

const TOKEN = /(\w+)(:|>=)("[^"]*"|\S+)/g;
const PERIOD = /^[1-9]\d{0,3}[mhd]$/;
const TEXTS = {
  tag: 'tag',
  resource: 'resource',
  kind: 'resourceKind',
  type: 'type',
  key: 'dedupKey',
  fingerprint: 'fingerprint',
} as const;
const RECORDS = {
  source: { filter: 'sourceId', among: 'source', noun: 'source' },
  rule: { filter: 'ruleId', among: 'rule', noun: 'rule' },
  profile: { filter: 'routingProfileId', among: 'profile', noun: 'routing profile' },
  assignee: { filter: 'assigneeId', among: 'person', noun: 'member' },
  ack: { filter: 'acknowledgedBy', among: 'person', noun: 'member' },
} as const;
const PREFIXES: Record<keyof Names, string> = { source: 'src', rule: 'rul', profile: 'prf', person: 'usr' };
const ID = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const NAMES: readonly string[] = ['severity', 'silence', 'last', 'is', ...Object.keys(TEXTS), ...Object.keys(RECORDS)];

/** `severity>=error source:"My db" tag:prod last:24h is:flapping` and free words. */
export function parseSearch(text: string): Search {
  const tokens: Token[] = [];
  const unknown: string[] = [];
  const words = text.replace(TOKEN, (whole, name: string, operator: ':' | '>=', value: string) => {
    if (!NAMES.includes(name)) {
      const near = NAMES.find((each) => isNear(name.toLowerCase(), each));
      if (near) unknown.push(`“${name}” is searched as text. Did you mean “${near}${operator}”?`);
      return whole;
    }
    tokens.push({ text: whole, name, operator, value: value.replaceAll('"', '') });
    return '';
  });
  return { words: words.replace(/\s+/g, ' ').trim(), tokens, unknown };
}

/** Whether a typed name is a slip of a known one: its plural, another case, or one letter too few, too many, wrong or moved. */
function isNear(typed: string, name: string): boolean {
  if (typed === name || typed === `${name}s`) return true;
  if (name.length < 5 || Math.abs(typed.length - name.length) > 1) return false;
  let same = 0;
  while (same < name.length && typed[same] === name[same]) same += 1;
  const [rest, other] = [typed.slice(same), name.slice(same)];
  const isMoved = rest.slice(0, 2) === [...other.slice(0, 2)].reverse().join('') && rest.slice(2) === other.slice(2);
  return isMoved || rest.slice(1) === other.slice(1) || rest === other.slice(1) || rest.slice(1) === other;
}

/** Which records must be read before the tokens are understood. */
export function namedBy(search: Search): Set<keyof Names> {
  return new Set(
    search.tokens.flatMap((token) =>
      token.name in RECORDS ? [RECORDS[token.name as keyof typeof RECORDS].among] : [],
    ),
  );
}

/**
 * The filters of the list. Several tokens of one name are several values. What a token does not fit is returned as a
 * sentence.
 */
export function filtersOf(search: Search, names: Names): { filters: IncidentFilters; faults: string[] } {
  const filters: Record<string, unknown> = search.words ? { q: search.words } : {};
  const faults: string[] = [...search.unknown];
  const add = (filter: string, value: string) => {
    const values = (filters[filter] ?? []) as string[];
    filters[filter] = values.includes(value) ? values : [...values, value];
  };
  for (const token of search.tokens) {
    const { name, operator, value } = token;
    if (name in TEXTS) add(TEXTS[name as keyof typeof TEXTS], value);
    else if (name in RECORDS) {
      const found = recordOf(token, names);
      if (found) add(RECORDS[name as keyof typeof RECORDS].filter, found);
      else faults.push(`There is no ${RECORDS[name as keyof typeof RECORDS].noun} “${value}”.`);
    } else if (name === 'severity') {
      const severity = value.toUpperCase() as Severity;
      if (!SEVERITIES.includes(severity))
        faults.push(`There is no severity “${value}”. Use ${SEVERITIES.join(', ').toLowerCase()}.`);
      else if (operator === '>=') filters.minSeverity = severity;
      else add('severity', severity);
    } else if (name === 'silence' && value.startsWith('sil_')) add('silenceId', value);
    else if (name === 'last') {
      if (PERIOD.test(value)) filters.last = value;
      else faults.push(`“${value}” is not a period. Use 30m, 24h or 7d.`);
    } else if (name === 'is' && value === 'flapping') filters.flapping = true;
    else faults.push(`Unknown filter “${name}${operator}${value}”.`);
  }
  return { filters: filters, faults };
}

/** The id that a token names: by the name of the record, or the id itself. People may be `me`, and an assignee `none`. */
function recordOf({ name, value }: Token, names: Names): string | undefined {
  if (value === 'me' && (name === 'assignee' || name === 'ack')) return value;
  if (value === 'none' && name === 'assignee') return value;
  const { among } = RECORDS[name as keyof typeof RECORDS];
  const found = names[among]?.find((each) => isNamed(each, value) || each.id === value);
  return found?.id ?? (ID.exec(value)?.[1] === PREFIXES[among] ? value : undefined);
}

function isNamed(record: Named, name: string): boolean {
  return record.name.toLowerCase() === name.toLowerCase();
}

/** A token of the search field, in quotes where its value has a space. */
export function tokenOf(name: string, value: string): string {
  return /[\s"]/.test(value) ? `${name}:"${value.replaceAll('"', '')}"` : `${name}:${value}`;
}

/** The text without one token, however often it is there. */
export function without(text: string, token: Token): string {
  return text
    .replace(TOKEN, (whole) => (whole === token.text ? '' : whole))
    .replace(/\s+/g, ' ')
    .trim();
}

/** The token for one value of a filter; undefined for a filter without a token. A record is named where its name is unique. */
export function tokenFor(filter: string, value: string, names: Names): string | undefined {
  const record = Object.entries(RECORDS).find(([, each]) => each.filter === filter);
  if (record) {
    const [name, { among }] = record;
    const records = names[among] ?? [];
    const label = records.find((each) => each.id === value)?.name ?? '';
    const isUnique = records.filter((each) => isNamed(each, label)).length === 1;
    return tokenOf(name, isUnique && !label.includes('"') ? label : value);
  }
  const text = Object.entries(TEXTS).find(([, each]) => each === filter);
  if (text) return tokenOf(text[0], value);
  switch (filter) {
    case 'severity':
      return `severity:${value.toLowerCase()}`;
    case 'minSeverity':
      return `severity>=${value.toLowerCase()}`;
    case 'silenceId':
      return `silence:${value}`;
    case 'last':
      return `last:${value}`;
    case 'flapping':
      return value === 'true' ? 'is:flapping' : undefined;
    default:
      return undefined;
  }
}

/** The text of the search for these filters; null where the search cannot say the same. */
export function textOf(filters: Readonly<Record<string, unknown>>, names: Names): string | null {
  const { q, ...others } = filters;
  const tokens = Object.entries(others).flatMap(([filter, value]) =>
    valuesOf(value).map((each) => tokenFor(filter, each, names)),
  );
  const text = [...valuesOf(q), ...tokens].filter((each) => each !== undefined).join(' ');
  return areSame(filtersOf(parseSearch(text), names).filters, filters) ? text : null;
}

/** Returns whether two sets of filters are equal. A value equals a list of that value, in any order. */
export function areSame(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  return canonical(one) === canonical(other);
}

function canonical(filters: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(filters).map(([name, value]) => [name, ...valuesOf(value).sort()].join('\n'));
  return JSON.stringify(entries.filter((each) => each.includes('\n')).sort());
}

function valuesOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** Returns the kinds of records whose names are needed to write these filters as tokens. */
export function kindsOf(filters: Readonly<Record<string, unknown>>): (keyof Names)[] {
  return Object.values(RECORDS).flatMap((each) => (each.filter in filters ? [each.among] : []));
}
