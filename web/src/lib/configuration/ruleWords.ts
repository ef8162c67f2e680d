import type { RuleRecord, ThenShape } from '@/api';
import type { Names } from '@/lib/configuration/names';
import { countOf } from '@/lib/configuration/pageTargets';
import { duration } from '@/lib/time/time';
import { counted, listed, SEVERITY_WORD } from '@/lib/words/words';

export type Disposition = NonNullable<ThenShape['disposition']>;

export const DISPOSITIONS: readonly { value: Disposition | ''; label: string; about: string }[] = [
  { value: 'incident', label: 'Open an incident', about: 'Repeats are added to it. Notifies the recipients below.' },
  { value: 'notify', label: 'Notify only', about: 'Sends one informational notification, without an incident.' },
  { value: 'log', label: 'Log only', about: 'Stores the event and notifies nobody.' },
  { value: 'drop', label: 'Drop', about: 'The event is counted and not kept.' },
  { value: '', label: 'Let later rules decide', about: 'Only with "Continue": tags and destinations are added.' },
];

const DONE: Record<Disposition | '', string> = {
  incident: 'open an incident',
  notify: 'notify only',
  log: 'log only',
  drop: 'drop the event',
  '': 'continue',
};

/** "open an incident, as critical, notify Pager and Chat, profile Night, tag #db". */
export function outcomeOf(rule: Pick<RuleRecord, 'then' | 'openAfter' | 'continue'>, names: Names): string {
  const { then, openAfter } = rule;
  const parts = [DONE[then.disposition ?? '']];
  if (openAfter) parts[0] += ` after ${openAfter.count} events within ${duration(openAfter.withinMinutes * 60)}`;
  if (then.severity) parts.push(`as ${SEVERITY_WORD[then.severity].toLowerCase()}`);
  if (then.destinationIds?.length) parts.push(`notify ${listed(then.destinationIds.map(names.of))}`);
  if (then.people?.length) parts.push(`page ${countOf(then.people)}`);
  if (then.routingProfileId) parts.push(`profile ${names.of(then.routingProfileId)}`);
  if (then.snoozeMinutes) parts.push(`snoozed for ${duration(then.snoozeMinutes * 60)}`);
  if (then.addTags?.length) parts.push(`tag ${then.addTags.map((tag) => `#${tag}`).join(' ')}`);
  if (then.groupBy?.length) parts.push(`group by ${listed(then.groupBy)}`);
  if (then.groupBy?.length && then.resolveWhen === 'any') parts.push('resolve when one alert has ended');
  if (rule.continue && then.disposition) parts.push('then continue');
  return parts.join(', ');
}

/** "from Backups, in 2 weekly windows": what narrows a rule beside its match. */
export function narrowing(rule: Pick<RuleRecord, 'sourceIds' | 'activeDuring'>, names: Names): string {
  const parts: string[] = [];
  if (rule.sourceIds.length > 0) parts.push(`from ${listed(rule.sourceIds.map(names.of))}`);
  if (rule.activeDuring) parts.push(`in ${counted(rule.activeDuring.windows.length, 'weekly window')}`);
  return parts.join(', ');
}
