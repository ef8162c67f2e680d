import type { IncidentsListData } from '@/api';
import { SEVERITIES, type Severity } from '@/lib/words';

export type IncidentFilters = Omit<
  NonNullable<IncidentsListData['query']>,
  'workspaceId' | 'limit' | 'cursor' | 'offset' | 'state'
>;
export type Token = { text: string; name: string; operator: ':' | '>='; value: string };
export type Search = { words: string; tokens: Token[]; unknown: string[] };

const TOKEN = /(\w+)(:|>=)("[^"]*"|\S+)/g;
const NAMES = ['severity', 'source', 'tag', 'resource', 'last', 'is'];
const PERIODS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `severity>=error source:"My db" tag:prod last:24h is:flapping` and free words. */
export function parseSearch(text: string): Search {
  const tokens: Token[] = [];
  const words = text.replace(TOKEN, (whole, name: string, operator: ':' | '>=', value: string) => {
    if (!NAMES.includes(name)) return whole;
    tokens.push({ text: whole, name, operator, value: value.replaceAll('"', '') });
    return '';
  });
  return { words: words.replace(/\s+/g, ' ').trim(), tokens, unknown: [] };
}

/** The filters of the list. What a token does not fit is returned as a sentence. */
export function filtersOf(
  search: Search,
  sources: readonly { id: string; name: string }[],
  now: number,
): { filters: IncidentFilters; faults: string[] } {
  const filters: IncidentFilters = search.words ? { q: search.words } : {};
  const faults: string[] = [];
  for (const { name, operator, value } of search.tokens) {
    if (name === 'severity') {
      const severity = value.toUpperCase() as Severity;
      if (!SEVERITIES.includes(severity))
        faults.push(`There is no severity “${value}”. Use ${SEVERITIES.join(', ').toLowerCase()}.`);
      else if (operator === '>=') filters.minSeverity = severity;
      else filters.severity = severity;
    } else if (name === 'source') {
      const source = sources.find((each) => each.name.toLowerCase() === value.toLowerCase() || each.id === value);
      if (source) filters.sourceId = source.id as IncidentFilters['sourceId'];
      else faults.push(`There is no source “${value}”.`);
    } else if (name === 'tag') filters.tag = value;
    else if (name === 'resource') filters.resource = value;
    else if (name === 'last') {
      const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(value) ?? [];
      if (count && unit) filters.since = new Date(now - Number(count) * (PERIODS[unit] ?? 0)).toISOString();
      else faults.push(`“${value}” is no period. Use 30m, 24h or 7d.`);
    } else if (name === 'is' && value === 'flapping') filters.flapping = true;
    else faults.push(`“${name}${operator}${value}” is not known.`);
  }
  return { filters, faults };
}

/** The text without one token. */
export function without(text: string, token: Token): string {
  return text.replace(token.text, '').replace(/\s+/g, ' ').trim();
}
