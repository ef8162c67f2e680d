/** What a write sends, by the names of the API. */
export type Body = Readonly<Record<string, unknown>>;
/** A write that is sent again: these fields, for the record as it is now. */
export type Retry = { sent: Body; rev: number };
export type Difference = { field: string; yours: string; latest: string };

/** The name of an id, as `useNames` knows it. */
type NameOf = (id: string) => string;

const SIGNS: Record<string, string> = { eq: '=', ne: '!=', gte: '>=', lte: '<=', gt: '>', lt: '<' };
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;
const ID = /^[a-z]{3}_[0-9a-z]{26}$/;

/** The fields that a person changed since the record was opened. */
export function changes(opened: Body, yours: Body): Body {
  return Object.fromEntries(
    Object.entries(yours).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(opened[name])),
  );
}

/** Where the fields that a person would send differ from the record as it is now, in words. */
export function differences(sent: Body, latest: Body, nameOf: NameOf, moment: (at: string) => string): Difference[] {
  const words = { nameOf, moment };
  const both = { ...flat(pick(latest, sent), words) };
  const edited = flat(sent, words);
  return [...new Set([...Object.keys(edited), ...Object.keys(both)])]
    .map((field) => ({ field, yours: edited[field] ?? 'None', latest: both[field] ?? 'None' }))
    .filter(({ yours, latest: other }) => yours !== other);
}

/** The names of the fields that somebody else changed and that the person would not send. */
export function others(opened: Body, sent: Body, latest: Body): string[] {
  return Object.keys(changes(opened, latest))
    .filter((name) => !(name in sent) && !(isMatch(name) && Object.keys(sent).some(isMatch)))
    .map(label);
}

type Words = { nameOf: NameOf; moment: (at: string) => string };

const isMatch = (name: string) => name === 'match' || name === 'matchText';

/** The same fields of another body. The two forms of a condition are one field. */
function pick(body: Body, like: Body): Body {
  const isWanted = (name: string) => name in like || (isMatch(name) && Object.keys(like).some(isMatch));
  return Object.fromEntries(Object.entries(body).filter(([name]) => isWanted(name)));
}

/** Each leaf with its label; an object within an object keeps the label of its own field. */
function flat(body: Body, words: Words): Record<string, string> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]): [string, string][] => {
      if (isMatch(name)) return [['Condition', typeof value === 'string' ? value : condition(value)]];
      return isObject(value) ? Object.entries(flat(value, words)) : [[label(name), text(value, words)]];
    }),
  );
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** "Routing profile" of `routingProfileId`, "Destinations" of `destinationIds`. A label, such as "Dedup key", stays. */
function label(name: string): string {
  if (/^[A-Z]/.test(name)) return name;
  const words = name
    .replace(/Ids$/, 's')
    .replace(/Id$/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function text(value: unknown, words: Words): string {
  if (value === null || value === undefined || value === '') return 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value))
    return value.map((each) => text(each, words)).join(isObject(value[0]) ? '; ' : ', ') || 'None';
  if (isObject(value)) {
    const parts = Object.entries(flat(value, words));
    return parts.map(([field, part]) => `${field.toLowerCase()} ${part}`).join(', ');
  }
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  if (MOMENT.test(plain)) return words.moment(plain);
  return ID.test(plain) ? words.nameOf(plain) : plain;
}

/** A tree of conditions on one line. */
function condition(tree: unknown): string {
  if (!isObject(tree)) return text(tree, { nameOf: String, moment: String });
  if (Array.isArray(tree.all)) return joined(tree.all, 'and', 'Everything');
  if (Array.isArray(tree.any)) return joined(tree.any, 'or', 'Nothing');
  if ('not' in tree) return `not (${condition(tree.not)})`;
  const { field, op, value } = tree as { field: string; op: string; value: unknown };
  return `${field} ${SIGNS[op] ?? op} ${JSON.stringify(value) ?? ''}`.trim();
}

function joined(trees: unknown[], word: string, none: string): string {
  const parts = trees.map((each) =>
    isObject(each) && ('all' in each || 'any' in each) ? `(${condition(each)})` : condition(each),
  );
  return parts.length === 0 ? none : parts.join(` ${word} `);
}
