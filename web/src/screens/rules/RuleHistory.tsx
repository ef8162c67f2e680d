import { useLocation } from 'wouter';
import { type RuleRecord, versionsListOfRule, versionsRevertRule } from '@/api';
import { rulesReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { queries } from '@/lib/requests/queries';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { History } from '@/parts/history/History';
import { say } from '@/parts/toast';

/** The versions of a rule. After a revert the list of rules is shown, as after saving. */
export function RuleHistory({ rule }: { rule: RuleRecord }) {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const path = { rule_id: rule.id };
  const load = async () => {
    const { data } = await versionsListOfRule({ path, throwOnError: true });
    return data.items.map(({ rev, at, actor, rule: { name, enabled, text } }) => {
      return { rev, at, actor, text: `${name}${enabled ? '' : ' (disabled)'}\n${text}` };
    });
  };
  const revert = async (rev: number, newest: number) => {
    const { data } = await versionsRevertRule({
      path,
      body: { rev },
      headers: { 'If-Match': `"${newest}"` },
      throwOnError: true,
    });
    queries.setQueryData(rulesReadQueryKey({ path }), data);
    say(`Version ${rev} is in use again`);
    void refresh('rulesList', 'rulesRead');
    navigate(href('rules'));
  };
  return <History noun="rule" id={rule.id} load={load} onRevert={can('admin') ? revert : null} />;
}
