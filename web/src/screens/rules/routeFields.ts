import type { RouteRecord } from '@/api';
import { idsOf } from '@/lib/configuration/pageTargets';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';

/** The fields of a route in words, to compare two of them: one for each severity. */
export function wordsOf({ destinationIds, people, routingProfileId, dispositions }: RouteRecord) {
  const outcomes = SEVERITIES.map((each) => {
    const word = dispositions?.[each] === 'log' ? 'Log only' : 'Open an incident';
    return [`${SEVERITY_WORD[each]} events`, word] as const;
  });
  return {
    destinationIds,
    people: idsOf(people),
    routingProfileId: routingProfileId ?? null,
    ...Object.fromEntries(outcomes),
  };
}

/** Their route with those fields of mine that have these names. */
export function withFields(latest: RouteRecord, edited: RouteRecord, names: readonly string[]): RouteRecord {
  const outcomes = SEVERITIES.map((each) => {
    const { dispositions } = names.includes(`${SEVERITY_WORD[each]} events`) ? edited : latest;
    return [each, dispositions?.[each] ?? 'incident'];
  });
  return {
    destinationIds: (names.includes('destinationIds') ? edited : latest).destinationIds,
    people: (names.includes('people') ? edited : latest).people ?? [],
    routingProfileId: (names.includes('routingProfileId') ? edited : latest).routingProfileId ?? null,
    dispositions: Object.fromEntries(outcomes) as RouteRecord['dispositions'],
  };
}
