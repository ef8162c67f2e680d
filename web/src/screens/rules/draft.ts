import type { RuleNew, RuleRecord } from '@/api';
import { EVERY, isComplete, type Match, matchOf, requestOf } from '@/parts/match/tree';

export type RuleForm = Pick<
  RuleRecord,
  'name' | 'enabled' | 'sourceIds' | 'activeDuring' | 'openAfter' | 'continue' | 'then'
> & { match: Match };

export const NEW_RULE: RuleForm = {
  name: '',
  enabled: true,
  match: EVERY,
  sourceIds: [],
  activeDuring: null,
  openAfter: null,
  continue: false,
  then: {
    disposition: 'incident',
    severity: null,
    addTags: [],
    groupBy: [],
    resolveWhen: 'all',
    destinationIds: [],
    routingProfileId: null,
    snoozeMinutes: null,
    runbookUrl: null,
  },
};

/** A new rule, or one like an event that the address describes (`lib/ruleLike`). */
export function newRuleOf(params: URLSearchParams): RuleForm {
  const [field, value, source] = [params.get('field'), params.get('value'), params.get('sources')];
  if (!field || !value) return NEW_RULE;
  return {
    ...NEW_RULE,
    name: params.get('name') ?? '',
    sourceIds: source ? [source as RuleRecord['sourceIds'][number]] : [],
    match: { simple: { join: 'all', clauses: [{ field, op: 'eq', value }] } },
  };
}

export function formOf(rule: RuleRecord): RuleForm {
  const { name, enabled, sourceIds, activeDuring, openAfter, then } = rule;
  return {
    name,
    enabled,
    sourceIds,
    activeDuring,
    openAfter,
    continue: rule.continue,
    then: { ...NEW_RULE.then, ...then, disposition: then.disposition },
    match: matchOf(rule),
  };
}

/** What the API takes. What has no effect with the chosen disposition is left out, because the API refuses it. */
export function bodyOf(form: RuleForm): Omit<RuleNew, 'workspaceId'> {
  const { match, name, ...fields } = form;
  const { disposition = null, ...then } = form.then;
  const decides = !form.continue;
  const reaches = !decides || disposition === 'incident' || disposition === 'notify';
  const opens = !decides || disposition === 'incident';
  const unchanged = {
    ...then,
    // A rule that continues has no disposition. The generated type of a new rule has no name for its absence.
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion
    disposition: disposition ?? (null as never),
    destinationIds: reaches ? then.destinationIds : [],
    people: reaches ? (then.people ?? []) : [],
    routingProfileId: reaches ? then.routingProfileId : null,
    snoozeMinutes: opens ? then.snoozeMinutes : null,
    runbookUrl: disposition === 'incident' ? then.runbookUrl : null,
  };
  return {
    ...fields,
    ...requestOf(match),
    name: name.trim() || 'New rule',
    then: unchanged,
    openAfter: disposition === 'incident' ? form.openAfter : null,
  };
}

export function isReady(form: RuleForm): boolean {
  return (
    isComplete(form.match) &&
    (form.activeDuring === null ||
      form.activeDuring.windows.every((each) => each.days.length > 0 && each.start && each.end))
  );
}
