import type { ContactMethodRecord, NotificationRuleFields, NotificationRulesRecord } from '@/api';
import { contactKind } from '@/lib/words/contactKinds';

/** The most rules of a list, and the longest time before one. */
export const MOST_RULES = 10;
export const MOST_MINUTES = 1_440;

export type RuleForm = { afterMinutes: number; method: string };
export type RulesForm = { default: RuleForm[]; critical: RuleForm[] };
export type Method = { value: string; label: string };

export function formOf({ default: usual, critical }: Pick<NotificationRulesRecord, 'default' | 'critical'>): RulesForm {
  const copied = (rules: readonly NotificationRuleFields[]) =>
    rules.map(({ afterMinutes, method }) => ({ afterMinutes, method }));
  return { default: copied(usual), critical: copied(critical) };
}

/** The methods that a rule can name: phones, the address of the account, and confirmed addresses. */
export function methodsOf(email: string, contacts: readonly ContactMethodRecord[]): Method[] {
  return [
    { value: 'push', label: 'Push to my phones' },
    { value: 'email', label: `Mail to ${email}` },
    ...contacts
      .filter((each) => each.confirmedAt !== null)
      .map((each) => ({ value: each.id, label: `${contactKind(each.kind)} to ${each.address}` })),
  ];
}

/** The methods that a list does not have yet: it names each once. */
export function freeMethods(methods: readonly Method[], rules: readonly RuleForm[]): Method[] {
  return methods.filter((method) => !rules.some((rule) => rule.method === method.value));
}

/** The list with one more rule, five minutes after the last one. */
export function withRule(methods: readonly Method[], rules: readonly RuleForm[]): RuleForm[] {
  const [free] = freeMethods(methods, rules);
  if (!free) return [...rules];
  const last = rules.at(-1);
  return [...rules, { afterMinutes: last ? Math.min(last.afterMinutes + 5, MOST_MINUTES) : 0, method: free.value }];
}

/** The offered rules whose methods can be named now. */
export function usable(methods: readonly Method[], { default: usual, critical }: RulesForm): RulesForm {
  const known = (rules: readonly RuleForm[]) =>
    rules.filter((rule) => methods.some((method) => method.value === rule.method));
  return { default: known(usual), critical: known(critical) };
}
