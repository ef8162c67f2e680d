/** A JSON value of a pasted sample. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A path that a person can pick, and the value that it leads to in the sample. */
export type Pick = { path: string; value: string };

const MOST_PICKS = 200;
const DEEPEST = 6;
const LONGEST_VALUE = 60;

/** The sample, when it is a JSON object or array; null for other texts. */
export function parsed(text: string): Json[] | { [name: string]: Json } | null {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** The paths to arrays, which may hold the items: at most two arrays inside each other. */
export function itemPaths(sample: Json): string[] {
  const found: string[] = [];
  visitAll(sample, '', (path, value) => {
    if (Array.isArray(value) && value.length > 0 && stars(path) < 2) found.push(`${path}[*]`);
    return stars(path) < 2;
  });
  return found.slice(0, MOST_PICKS);
}

/** The first item of the sample; undefined where the path leads to nothing. */
export function firstItem(sample: Json, items: string): Json | undefined {
  let value: Json | undefined = sample;
  for (const step of stepsOf(items)) {
    if (value === null || typeof value !== 'object') return undefined;
    value = Array.isArray(value) ? value[step === '*' ? 0 : Number(step)] : value[step];
  }
  return value;
}

/** The paths of an item to texts, numbers and objects, and those of the body around it. */
export function picks(sample: Json, items: string): Pick[] {
  const item = firstItem(sample, items);
  const found = item === undefined ? [] : pathsOf(item, '');
  return (items ? [...found, ...pathsOf(sample, '$')] : found).slice(0, MOST_PICKS);
}

function pathsOf(from: Json, root: string): Pick[] {
  const found: Pick[] = [];
  visitAll(from, root, (path, value) => {
    const shown = path.replace(/^\./, '') || '@';
    if (value === null) return false;
    if (typeof value !== 'object') found.push({ path: shown, value: shorten(String(value)) });
    else if (path !== root && !Array.isArray(value) && stars(path) === 0) found.push({ path: shown, value: '{…}' });
    return !Array.isArray(value) || stars(path) === 0;
  });
  return found;
}

/** Visit a value and what is inside. Of an array, the first element stands for all. */
function visitAll(value: Json, path: string, visit: (path: string, value: Json) => boolean, depth = 0): void {
  if (!visit(path, value) || depth >= DEEPEST || value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    if (value.length > 0) visitAll(value[0]!, `${path}[*]`, visit, depth + 1);
    return;
  }
  for (const [name, inner] of Object.entries(value)) visitAll(inner, path + step(name, path), visit, depth + 1);
}

function step(name: string, before: string): string {
  if (/^[^\s.[\]{}"@$]+$/.test(name)) return before ? `.${name}` : name;
  return `["${name}"]`;
}

function stepsOf(path: string): string[] {
  return [...path.replace(/^\$/, '').matchAll(/\.?([^\s.[\]{}"@$]+)|\[(\d+|\*)\]|\["([^"]+)"\]/g)].map(
    ([, name, index, quoted]) => name ?? index ?? quoted ?? '',
  );
}

function stars(path: string): number {
  return path.split('[*]').length - 1;
}

function shorten(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
