import type { RuleRecord, SourceRecord } from '@/api';

/** Whether a rule is for this source by name: in its list of sources, or in its condition. */
export function namesSource(rule: Pick<RuleRecord, 'sourceIds' | 'matchText'>, source: SourceRecord): boolean {
  return rule.sourceIds.includes(source.id) || rule.matchText.includes(JSON.stringify(source.name));
}
