import { useQuery } from '@tanstack/react-query';
import type { ConfigField, DestinationKindRecord, DestinationRecord } from '@/api';
import { destinationKindsListOptions } from '@/api/@tanstack/react-query.gen';
import { newSecret } from '@/lib/configuration/secret';
import { textOf } from '@/lib/words/text';

/** Null: a stored secret that is to be removed. */
export type Config = Record<string, string | boolean | null>;

/** The catalogue of kinds. It changes with the version of the service only. */
export function useKinds(): DestinationKindRecord[] | undefined {
  return useQuery({ ...destinationKindsListOptions(), staleTime: Infinity }).data?.items;
}

/** What the fields of a form hold at first: the settings of a known destination, never its secrets. */
export function configOf(kind: DestinationKindRecord, existing: DestinationRecord | null): Config {
  return Object.fromEntries(
    kind.fields.map((field) => [
      field.name,
      field.type === 'flag'
        ? (existing?.config[field.name] ?? field.default) === true
        : field.secret
          ? ''
          : textOf(existing ? existing.config[field.name] : field.default),
    ]),
  );
}

/** The text that distinguishes a destination from others of its kind: its target, or the end of its first secret. */
export function targetText(kind: DestinationKindRecord | undefined, config: Record<string, unknown>): string {
  const hints = kind?.fields.map((field) => field.hintName ?? '') ?? [];
  return [kind?.target ?? '', ...hints].map((name) => textOf(config[name])).find(Boolean) ?? '';
}

/** The fields that a person enters: all but the secrets that this browser makes. */
export function entered(kind: DestinationKindRecord): ConfigField[] {
  return kind.fields.filter((field) => field.generate === null);
}

/** Secrets that this browser makes, by the name of their field. */
export function generated(kind: DestinationKindRecord): ConfigField[] {
  return kind.fields.filter((field) => field.generate !== null);
}

/** Why a field cannot be sent; null when it can. The service says the rest. */
export function faultOf(field: ConfigField, value: unknown, isNew: boolean): string | null {
  const text = textOf(value).trim();
  if (text === '') return field.required && (isNew || !field.secret) && field.type !== 'flag' ? 'Enter a value.' : null;
  if (field.type === 'url' && !/^https?:\/\/./i.test(text))
    return 'Enter an address that begins with https://, or http:// in a private network.';
  if (field.type === 'headers') return headersOf(text) ? null : 'Enter one header a line, such as X-Tenant: shop.';
  if (field.type === 'number' && !/^-?\d+$/.test(text)) return 'Enter a whole number.';
  if (field.pattern && !new RegExp(`^(?:${field.pattern})$`, 'u').test(text))
    return `Enter something like ${field.example}`;
  return null;
}

function sentValue(field: ConfigField, text: string): unknown {
  if (field.type === 'headers') return headersOf(text);
  return field.type === 'number' ? Number(text) : text;
}

/** The headers of lines such as `X-Tenant: shop`; null for a line of another form, or a name that is there twice. */
export function headersOf(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => /^\s*([^\s:]+)\s*:\s*(.*\S)\s*$/.exec(line));
  const names = new Set(pairs.map((pair) => pair?.[1]?.toLowerCase()));
  if (pairs.includes(null) || names.size < pairs.length) return null;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}

/** The `config` to send. Secrets that were left empty stay as they are. `makes`: whether secrets are generated again. */
export function sentConfig(
  kind: DestinationKindRecord,
  values: Config,
  makes: boolean,
): { config: Record<string, unknown>; made: { field: ConfigField; secret: string }[] } {
  const config: Record<string, unknown> = {};
  for (const field of entered(kind)) {
    const value = values[field.name];
    if (field.type === 'flag') config[field.name] = value === true;
    else if (value === null) config[field.name] = null;
    else {
      const text = textOf(value).trim();
      if (text === '' && field.secret) continue;
      if (text === '') config[field.name] = null;
      else config[field.name] = sentValue(field, text);
    }
  }
  const made = makes ? generated(kind).map((field) => ({ field, secret: newSecret() })) : [];
  for (const each of made) config[each.field.name] = each.secret;
  return { config, made };
}
