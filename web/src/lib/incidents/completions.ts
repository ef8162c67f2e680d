import { type Names, tokenOf } from '@/lib/incidents/search';
import { SEVERITIES } from '@/lib/words/words';

const MOST = 12;
const STATIC: Record<string, readonly string[]> = {
  is: ['flapping'],
  last: ['30m', '24h', '7d'],
  assignee: ['me', 'none'],
  ack: ['me'],
};
const FILTERS = [
  'severity:', 'severity>=', 'source:', 'tag:', 'resource:', 'assignee:', 'ack:', 'last:', 'is:', 'rule:', 'profile:', 'type:',
  'kind:', 'key:',
]; // prettier-ignore
const LAST_WORD = /(?:^|\s)(\w+)((:|>=)("[^"]*|\S*))?$/;

/** The whole texts that the search field may become: its last word as a filter, or the last filter with a value. */
export function completions(text: string, names: Names): string[] {
  const found = LAST_WORD.exec(text);
  if (!found) return [];
  const [, name = '', filter, operator = ':', typed = ''] = found;
  const before = text.slice(0, text.length - name.length - (filter?.length ?? 0));
  const tokens =
    filter === undefined ? FILTERS : valuesOf(name, names).map((value) => tokenOf(name, value).replace(':', operator));
  const start = (name + (filter === undefined ? '' : operator + typed)).toLowerCase();
  const bare = start.replace('"', '');
  return tokens
    .filter((token) => token.toLowerCase().replace('"', '').startsWith(bare) && token.toLowerCase() !== start)
    .slice(0, MOST)
    .map((token) => before + token);
}

function valuesOf(name: string, names: Names): readonly string[] {
  const known = (records: readonly { name: string }[] = []) => records.map((each) => each.name);
  switch (name) {
    case 'severity':
      return SEVERITIES.map((each) => each.toLowerCase());
    case 'source':
    case 'rule':
    case 'profile':
      return known(names[name]);
    case 'assignee':
    case 'ack':
      return [...STATIC[name]!, ...known(names.person)];
    default:
      return STATIC[name] ?? [];
  }
}
