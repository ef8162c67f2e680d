/** The parts of an OpenAPI document that this screen reads. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
};
export type Content = Record<string, { schema?: Schema; example?: unknown }>;
export type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};
export type Answer = { $ref?: string; description?: string; content?: Content };
type Described = {
  summary?: string;
  description?: string;
  tags?: string[];
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, Answer>;
  security?: Record<string, string[]>[];
  'x-role'?: string | null;
  'x-step-up'?: string | null;
};
export type Document = {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, unknown>>;
  components?: Record<string, Record<string, unknown>>;
};
export type Operation = Described & { id: string; method: string; path: string; tag: string };
export type Group = { name: string; about: string; operations: Operation[] };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** All operations by their tag, in the order of the document. */
export function groupsOf(document: Document): Group[] {
  const groups = new Map<string, Group>(
    (document.tags ?? []).map((tag) => [tag.name, { name: tag.name, about: tag.description ?? '', operations: [] }]),
  );
  for (const [path, item] of Object.entries(document.paths))
    for (const method of METHODS) {
      const found = item[method] as Described | undefined;
      if (!found) continue;
      const tag = found.tags?.[0] ?? 'other';
      const group = groups.get(tag) ?? { name: tag, about: '', operations: [] };
      groups.set(tag, group);
      const shared = (item.parameters as Parameter[] | undefined) ?? [];
      const parameters = [...shared, ...(found.parameters ?? [])].map((each) => resolved(document, each));
      group.operations.push({
        ...found,
        parameters,
        id: found.operationId ?? `${method}${path}`,
        method: method.toUpperCase(),
        path,
        tag,
      });
    }
  return [...groups.values()].filter((group) => group.operations.length > 0);
}

/** Groups with the operations that have every word of the search in their path, title or description. */
export function searched(groups: readonly Group[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (each: Operation) => {
    const all = `${each.method} ${each.path} ${each.summary ?? ''} ${each.description ?? ''}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return groups
    .map((group) => ({ ...group, operations: group.operations.filter(has) }))
    .filter((group) => group.operations.length > 0);
}

/** Returns the target of a reference; any other value is returned unchanged. */
export function resolved<Value extends { $ref?: string }>(document: Document, value: Value): Value {
  if (!value.$ref) return value;
  const [, , room, name] = value.$ref.split('/');
  return (document.components?.[room ?? '']?.[name ?? ''] as Value | undefined) ?? value;
}

export function nameOf(ref: string): string {
  return ref.split('/').at(-1) ?? ref;
}

/** `string or null`, `array of IncidentRecord`, `"asc" or "desc"`. */
export function typeText(schema: Schema | undefined): string {
  if (!schema) return '';
  if (schema.$ref) return nameOf(schema.$ref);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(typeText).join(' or ');
  if (schema.allOf) return schema.allOf.map(typeText).filter(Boolean).join(' and ');
  const types = [schema.type ?? []].flat();
  if (types[0] === 'array') return ['array of ' + typeText(schema.items), ...types.slice(1)].join(' or ');
  return types.map((each) => (schema.format && each !== 'null' ? `${each} (${schema.format})` : each)).join(' or ');
}

/** Limits and closed values, in words. */
export function limitsText(schema: Schema | undefined): string {
  if (!schema) return '';
  const values = schema.enum ?? schema.items?.enum;
  const parts = [
    values ? `One of ${values.map((each) => String(each)).join(', ')}.` : '',
    schema.minimum !== undefined ? `At least ${schema.minimum}.` : '',
    schema.maximum !== undefined ? `At most ${schema.maximum}.` : '',
    schema.maxLength !== undefined ? `At most ${schema.maxLength} characters.` : '',
    schema.maxItems !== undefined ? `At most ${schema.maxItems} entries.` : '',
    schema.default !== undefined ? `Default: ${JSON.stringify(schema.default)}.` : '',
  ];
  return parts.filter(Boolean).join(' ');
}

export type Field = { name: string; schema: Schema; isRequired: boolean };

/** The fields of an object, also behind references, choices and lists. */
export function fieldsOf(document: Document, schema: Schema | undefined, depth = 0): Field[] {
  if (!schema || depth > 6) return [];
  const found = resolved(document, schema);
  if (found.properties)
    return Object.entries(found.properties).map(([name, each]) => ({
      name,
      schema: each,
      isRequired: found.required?.includes(name) ?? false,
    }));
  const inside = [...(found.anyOf ?? []), ...(found.oneOf ?? []), ...(found.allOf ?? [])];
  if (found.items) inside.push(found.items);
  return inside.flatMap((each) => fieldsOf(document, each, depth + 1));
}

const PROBLEM = 'application/problem+json';

/** A request with `curl`, with the example of the document. */
export function curlOf(operation: Operation, base: string): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const lines = [`curl ${operation.method === 'GET' ? '' : `-X ${operation.method} `}"${base}${path}"`];
  const credential = operation.security?.flatMap(Object.keys) ?? [];
  if (credential.includes('sourceKey')) lines.push('  -H "Authorization: Bearer $INBOX_KEY"');
  else if (credential.includes('deviceBearer')) lines.push('  -H "Authorization: Bearer $ACCESS_TOKEN"');
  const example = operation.requestBody?.content?.['application/json']?.example;
  if (example !== undefined) {
    lines.push('  -H "Content-Type: application/json"');
    lines.push(`  -d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n');
}

/** The answers that are no problem, and the statuses of the problems. */
export function answersOf(
  document: Document,
  operation: Operation,
): { good: [string, Answer][]; problems: [string, Answer][] } {
  const all = Object.entries(operation.responses ?? {}).map(
    ([status, each]) => [status, resolved(document, each)] as [string, Answer],
  );
  const isProblem = ([status, each]: [string, Answer]) =>
    Number(status) >= 400 || each.content?.[PROBLEM] !== undefined;
  return { good: all.filter((each) => !isProblem(each)), problems: all.filter(isProblem) };
}

/** Text with the parts between backticks apart: at odd places. */
export function withCode(text: string): string[] {
  return text.split('`');
}
