import type { ConfigField, DestinationKindRecord, DestinationRecord } from '@/api';
import { type Config, entered } from '@/screens/destinations/kinds';
import { isStored } from '@/screens/destinations/secretPlaces';

/** The mode whose fields a known destination has, or the first; empty for a kind with one way. */
export function modeOf(kind: DestinationKindRecord, existing: DestinationRecord | null): string {
  const has = (name: string) => {
    const field = kind.fields.find((each) => each.name === name);
    if (!field || !existing) return false;
    return field.secret ? isStored(field, existing.config) : Boolean(existing.config[name]);
  };
  const used = kind.modes.find((mode) => mode.needs.every(has));
  return (used ?? kind.modes[0])?.label ?? '';
}

/** The fields that a person enters in this mode. What the mode needs is required of a new destination. */
export function fieldsInMode(kind: DestinationKindRecord, label: string, isNew: boolean): ConfigField[] {
  const mode = kind.modes.find((each) => each.label === label);
  if (!mode) return entered(kind);
  const others = kind.modes.filter((each) => each !== mode).flatMap((each) => [...each.needs, ...each.takes]);
  return entered(kind)
    .filter((field) => !others.includes(field.name))
    .map((field) => (isNew && mode.needs.includes(field.name) ? { ...field, required: true } : field));
}

/** The settings without those of other modes, whose stored secrets are removed. */
export function configInMode(
  kind: DestinationKindRecord,
  label: string,
  values: Config,
  existing: DestinationRecord | null,
): Config {
  const shown = fieldsInMode(kind, label, existing === null).map((field) => field.name);
  const hidden = entered(kind).filter((field) => !shown.includes(field.name));
  return {
    ...values,
    ...Object.fromEntries(
      hidden.map((field) => [
        field.name,
        field.type === 'flag' ? false : field.secret && isStored(field, existing?.config ?? null) ? null : '',
      ]),
    ),
  };
}
