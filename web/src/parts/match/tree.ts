/** A match as the API writes it, and the flat form that the condition builder shows. */
export type Tree = { [key: string]: unknown };
export type Clause = { field: string; op: string; value: unknown };
export type Simple = { join: 'all' | 'any'; clauses: Clause[] };

/** The content of a form: the conditions in the builder, or the text in the editor. */
export type Match = { simple: Simple } | { text: string };

export const EVERY: Match = { simple: { join: 'all', clauses: [] } };

/** One level of clauses joined by one word; null for a match with groups or `not`. */
export function simpleOf(tree: Tree): Simple | null {
  if (isClause(tree)) return { join: 'all', clauses: [tree] };
  const join = 'all' in tree ? 'all' : 'any' in tree ? 'any' : null;
  const parts = join && (tree[join] as Tree[]);
  if (!join || !parts || !parts.every(isClause)) return null;
  return { join, clauses: parts };
}

export function treeOf({ join, clauses }: Simple): Tree {
  if (clauses.length === 1) return { ...clauses[0] };
  return clauses.length === 0 ? { all: [] } : { [join]: clauses };
}

export function matchOf(record: { match: Tree; matchText: string }): Match {
  const simple = simpleOf(record.match);
  return simple ? { simple } : { text: record.matchText };
}

/** The member of a request. */
export function requestOf(match: Match): { match: Tree } | { matchText: string } {
  return 'simple' in match ? { match: treeOf(match.simple) } : { matchText: match.text };
}

/** Returns whether the server has something to evaluate. */
export function isComplete(match: Match): boolean {
  if ('text' in match) return match.text.trim() !== '';
  return match.simple.clauses.every(({ field, value }) => {
    const isFilled = Array.isArray(value) ? value.length > 0 : value !== '' && value !== null && value !== undefined;
    return isFilled && field !== '' && field !== 'metadata.' && field !== 'metadata';
  });
}

function isClause(tree: Tree): tree is Clause {
  return typeof tree === 'object' && tree !== null && 'field' in tree && 'op' in tree;
}
