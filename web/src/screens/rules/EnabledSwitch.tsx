import { Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { rulesEdit, type RuleRecord } from '@/api';
import { refresh } from '@/lib/requests/refresh';
import { sayFault } from '@/parts/toast';
import classes from '@/screens/rules/Rules.module.css';

/**
 * Whether the rule is evaluated. A change is shown at once; a second one waits for the first.
 * It sends this field alone, whatever else somebody changed meanwhile.
 */
export function EnabledSwitch({ rule }: { rule: RuleRecord }) {
  const edit = useMutation({
    mutationFn: (enabled: boolean) => rulesEdit({ path: { rule_id: rule.id }, body: { enabled }, throwOnError: true }),
    scope: { id: rule.id },
    onSettled: () => refresh('rulesList', 'rulesRead'),
    onError: sayFault,
  });
  return (
    <Switch
      checked={edit.isPending ? edit.variables : rule.enabled}
      onChange={(event) => edit.mutate(event.currentTarget.checked)}
      aria-label={`${rule.name} is enabled`}
      classNames={{ body: classes.switch, track: classes.track }}
    />
  );
}
