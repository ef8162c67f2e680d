import type { DestinationKindRecord, DestinationRecord } from '@/api';
import type { Severity } from '@/lib/words/words';
import { type DigestEntry, entryOf, settingOf } from '@/screens/destinations/DigestFields';
import { type Config, configOf, faultOf, sentConfig } from '@/screens/destinations/kinds';
import { fieldsInMode, modeOf } from '@/screens/destinations/modes';
import { askAgain } from '@/screens/destinations/secretPlaces';
import { type TemplateEntry, templateOf, templateSetting } from '@/screens/destinations/TemplateFields';

export type Fields = {
  name: string;
  /** The way to use the kind, of those that it has. */
  mode: string;
  config: Config;
  enabled: boolean;
  sendUpdates: boolean;
  sendNotes: boolean;
  includeDetails: boolean;
  forContactMethods: boolean;
  minSeverity: string;
  quietHoursThreshold: string;
  digest: DigestEntry;
  template: TemplateEntry;
  replaceSecret: boolean;
  onDefaultRoute: boolean;
};

export function fieldsOf(kind: DestinationKindRecord, existing: DestinationRecord | null): Fields {
  return {
    name: existing?.name ?? '',
    mode: modeOf(kind, existing),
    config: configOf(kind, existing),
    enabled: existing?.enabled ?? true,
    sendUpdates: existing?.sendUpdates ?? true,
    sendNotes: existing?.sendNotes ?? true,
    includeDetails: existing?.includeDetails ?? true,
    forContactMethods: existing?.forContactMethods ?? false,
    minSeverity: existing?.minSeverity ?? '',
    quietHoursThreshold: existing ? (existing.quietHoursThreshold ?? '') : 'CRITICAL',
    digest: entryOf(existing?.digest),
    template: templateOf(existing?.template),
    replaceSecret: false,
    onDefaultRoute: existing === null,
  };
}

/** What a write sends of the fields, beside `config`. */
export function settingsOf(kind: DestinationKindRecord, values: Fields) {
  return {
    name: values.name.trim(),
    enabled: values.enabled,
    sendUpdates: values.sendUpdates,
    sendNotes: values.sendNotes,
    includeDetails: values.includeDetails,
    ...(kind.contactField === null ? {} : { forContactMethods: values.forContactMethods }),
    minSeverity: (values.minSeverity || null) as Severity | null,
    quietHoursThreshold: (values.quietHoursThreshold || null) as Severity | null,
    ...(kind.can.digests ? { digest: settingOf(values.digest) } : {}),
    ...(kind.can.templates ? { template: templateSetting(values.template) } : {}),
  };
}

/** What must be entered or corrected before a save, by field. The service says the rest. */
export function faultsOf(
  kind: DestinationKindRecord,
  opened: DestinationRecord | null,
  { name, mode, config }: Fields,
): Record<string, string> {
  const found = fieldsInMode(kind, mode, opened === null).map((field): [string, string | null] => [
    `config.${field.name}`,
    faultOf(field, config[field.name], opened === null) ??
      (opened && askAgain(field, kind.fields, opened.config, config)),
  ]);
  return {
    ...(name.trim() ? {} : { name: 'Enter a name, such as Pager.' }),
    ...Object.fromEntries(found.filter((each): each is [string, string] => each[1] !== null)),
  };
}

/** The same with the settings of the kind, to compare. Of secrets it has only whether new ones are sent. */
export function comparedOf(kind: DestinationKindRecord, values: Fields) {
  const secrets = kind.fields.filter((field) => field.secret).map((field) => field.name);
  const settings = Object.entries(sentConfig(kind, values.config, false).config);
  const isNew = values.replaceSecret || settings.some(([name]) => secrets.includes(name));
  return {
    ...settingsOf(kind, values),
    ...Object.fromEntries(settings.filter(([name]) => !secrets.includes(name))),
    secrets: isNew ? 'New' : 'As stored',
  };
}
