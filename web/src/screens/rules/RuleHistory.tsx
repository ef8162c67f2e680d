import { useLocation } from 'wouter';
import { type RuleRecord, rulesList, versionsListOfRule, versionsRestoreRule, versionsRevertRule } from '@/api';
import { rulesReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/app/workspace';
import { queries } from '@/lib/queries';
import { Deleted } from '@/parts/history/Deleted';
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
    refresh();
    navigate(href('rules'));
  };
  return <History noun="rule" id={rule.id} load={load} onRevert={can('admin') ? revert : null} />;
}

/** The deleted rules of the workspace. */
export function DeletedRules() {
  const { workspace } = useWorkspace();
  const load = async () => {
    const query = { workspaceId: workspace.id, deleted: true, limit: 100 };
    return (await rulesList({ query, throwOnError: true })).data.items;
  };
  const restore = async (id: RuleRecord['id']) => {
    await versionsRestoreRule({ path: { deleted_rule_id: id }, throwOnError: true });
    refresh();
  };
  return <Deleted nouns="rules" workspaceId={workspace.id} load={load} onRestore={restore} />;
}

function refresh(): void {
  void queries.invalidateQueries({
    predicate: ({ queryKey }) => ['rulesList', 'rulesRead'].includes((queryKey[0] as { _id?: string })?._id ?? ''),
  });
}
