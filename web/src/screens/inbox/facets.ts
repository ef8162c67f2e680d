import type { FacetRecord } from '@/api';
import { filtersOf, type Named, type Names, type Search, type Token, tokenFor, without } from '@/lib/incidents/search';
import { SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words/words';

/** The facets of the panel, in its order. The tabs are the facet of states. */
export const FACETS = [
  { name: 'severity', label: 'Severity' },
  { name: 'sourceId', label: 'Source' },
  { name: 'tag', label: 'Tag' },
  { name: 'resourceKind', label: 'Resource kind' },
  { name: 'type', label: 'Type' },
  { name: 'assigneeId', label: 'Assignee' },
  { name: 'ruleId', label: 'Rule' },
] as const;

export type FacetName = (typeof FACETS)[number]['name'];

/** The content of the search field: text, tokens, the records that they name, and the reading person. */
export type Searched = { text: string; search: Search; names: Names; me: string };

/** `count` is null where the number is not known. */
export type FacetRow = { value: string; label: string; count: number | null; isChosen: boolean };

/** The rows of a facet: its values, and those that a token chose but the answer does not have. */
export function rowsOf(name: FacetName, facet: FacetRecord | undefined, searched: Searched): FacetRow[] {
  const chosen = [...new Set(searched.search.tokens.flatMap((token) => meaningOf(token, name, searched) ?? []))];
  const answered = facet?.values ?? [];
  const rows = answered.map(({ value, label, count }) => ({
    value,
    label: name === 'severity' ? SEVERITY_WORD[value as Severity] : label,
    count,
    isChosen: chosen.includes(value),
  }));
  const others = chosen.filter((value) => !answered.some((each) => each.value === value));
  const isComplete = facet !== undefined && !facet.more;
  const all = [
    ...rows,
    ...others.map((value) => ({
      value,
      label: labelOf(name, value, searched.names),
      count: isComplete ? 0 : null,
      isChosen: true,
    })),
  ];
  if (name !== 'severity') return all;
  const rank = ({ value }: FacetRow) => SEVERITIES.indexOf(value as Severity);
  return all.sort((one, other) => rank(one) - rank(other));
}

/** The text of the search after a click on a value: without its tokens, or with a new one. */
export function toggled(name: FacetName, value: string, searched: Searched): string {
  const { text, search, names } = searched;
  const own = search.tokens.filter((token) => meaningOf(token, name, searched) === value);
  if (own.length > 0) return own.reduce(without, text);
  return `${text} ${tokenFor(name, value, names)}`.trim();
}

/** The value of this facet that a token chooses. */
function meaningOf(token: Token, name: FacetName, { names, me }: Searched): string | undefined {
  const { filters } = filtersOf({ words: '', tokens: [token], unknown: [] }, names);
  const value = filters[name]?.[0];
  return value === 'me' ? me : value;
}

function labelOf(name: FacetName, value: string, names: Names): string {
  if (name === 'severity') return SEVERITY_WORD[value as Severity];
  if (name === 'assigneeId' && value === 'none') return 'Nobody';
  const records: Partial<Record<FacetName, readonly Named[]>> = {
    sourceId: names.source,
    assigneeId: names.person,
    ruleId: names.rule,
  };
  return records[name]?.find((each) => each.id === value)?.name ?? value;
}
