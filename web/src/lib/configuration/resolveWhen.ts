/** The recoveries that resolve an incident with several alerts, in the words of the forms of rules and sources. */
export const RESOLVE_WHEN: readonly { value: 'all' | 'any'; label: string }[] = [
  { value: 'all', label: 'All of its alerts have ended' },
  { value: 'any', label: 'One of its alerts has ended' },
];
