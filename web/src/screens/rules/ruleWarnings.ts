import type { RouteRecord, DestinationRecord, RuleRecord } from '@/api';
import { isNobody } from '@/lib/configuration/pageTargets';
import { simpleOf } from '@/parts/match/tree';
import type { RuleForm } from '@/screens/rules/draft';

type Receiver = Pick<DestinationRecord, 'id' | 'name' | 'enabled' | 'stopped'>;
type Other = Pick<
  RuleRecord,
  'id' | 'name' | 'enabled' | 'position' | 'continue' | 'sourceIds' | 'activeDuring' | 'match'
>;

/** What a warning needs to know besides the form. `position` is that of the rule; null: it will be the last one. */
export type Surroundings = {
  position: number | null;
  rules: readonly Other[];
  destinations: readonly Receiver[];
  defaultRoute: Pick<RouteRecord, 'destinationIds' | 'people' | 'routingProfileId'> | undefined;
};

/** What is allowed and probably not meant, in sentences. */
export function warningsOf(form: RuleForm, around: Surroundings): string[] {
  if (!form.enabled) return [];
  return [...ofReach(form, around), ...ofReceivers(form, around)];
}

function ofReach(form: RuleForm, { position, rules }: Surroundings): string[] {
  const before = rules.find((each) => (position === null || each.position < position) && takesAll(each));
  const isLast = position === null || !rules.some((each) => each.position > position && each.enabled);
  return [
    ...(before ? [`The earlier rule “${before.name}” matches every event, so this rule is never evaluated.`] : []),
    ...(decidesAll(form)
      ? [
          isLast
            ? 'It matches every event, so the default route never applies.'
            : 'It matches every event, so neither later rules nor the default route apply.',
        ]
      : []),
  ];
}

function ofReceivers(form: RuleForm, { destinations, defaultRoute }: Surroundings): string[] {
  const { then } = form;
  const reaches = form.continue || then.disposition === 'incident' || then.disposition === 'notify';
  if (!reaches) return [];
  const named = destinations.filter((each) => then.destinationIds?.includes(each.id));
  const isUnset = !form.continue && !then.destinationIds?.length && !then.people?.length && !then.routingProfileId;
  const isEmpty = defaultRoute && isNobody(defaultRoute);
  return [
    ...named.filter((each) => !each.enabled).map((each) => `${each.name} is disabled and gets no notifications.`),
    ...named
      .filter((each) => each.enabled && each.stopped)
      .map((each) => `${each.name} is stopped. Its notifications wait until it resumes.`),
    ...(isUnset && isEmpty
      ? [
          'Neither this rule nor the default route has a destination. Nobody is notified unless the source has a profile.',
        ]
      : []),
  ];
}

function decidesAll(form: RuleForm): boolean {
  const isEvery = 'simple' in form.match && form.match.simple.clauses.length === 0;
  return isEvery && !form.continue && form.sourceIds.length === 0 && form.activeDuring === null;
}

function takesAll(rule: Other): boolean {
  const isEvery = simpleOf(rule.match)?.clauses.length === 0;
  return isEvery && rule.enabled && !rule.continue && rule.sourceIds.length === 0 && rule.activeDuring === null;
}
