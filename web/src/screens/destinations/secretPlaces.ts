import type { ConfigField } from '@/api';
import { textOf } from '@/lib/words/text';
import type { Config } from '@/screens/destinations/kinds';

type Settings = Record<string, unknown>;

/** Whether a secret of the field is stored. The service shows the end of an optional one, or that there is one. */
export function isStored(field: ConfigField, existing: Settings | null): boolean {
  if (existing === null || !field.secret) return false;
  return field.required || textOf(field.hintName ? existing[field.hintName] : '') !== '';
}

/**
 * The sentence that asks for a stored secret again, because the form keeps it and sends it to another place; else null.
 * The service decides, and refuses such an edit at the field of the secret.
 */
export function askAgain(field: ConfigField, fields: ConfigField[], existing: Settings, values: Config): string | null {
  if (values[field.name] !== '' || !isStored(field, existing)) return null;
  const places = fields.filter((each) => field.sentTo?.includes(each.name));
  const moved = places.find((each) => placeOf(each, existing[each.name]) !== placeOf(each, values[each.name]));
  return moved ? `Enter the ${inSentence(field.label)} again: the ${inSentence(moved.label)} changed.` : null;
}

/** What the value of a field names, the same for every spelling of one address. */
function placeOf(field: ConfigField, value: unknown): string {
  const text = textOf(value).trim() || (field.whenAbsent ?? '');
  if (field.type !== 'url' || !URL.canParse(text)) return text;
  const { protocol, hostname, port, pathname, search } = new URL(text);
  return [protocol, hostname.replace(/\.$/, ''), port, `${pathname}${search}`.replace(/\/+$/, '')].join(' ');
}

/** A label within a sentence: `Server` becomes `server`, `API server` stays. */
function inSentence(label: string): string {
  return /^.\p{Lu}/u.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
}
