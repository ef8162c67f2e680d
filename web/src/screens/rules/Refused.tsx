import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { auditList, type AuditRecord, type RuleRecord } from '@/api';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import type { Move } from '@/screens/rules/order';

const ACTS: Partial<Record<AuditRecord['action'], string>> = {
  'rule.reordered': 'changed the order of the rules',
  'rule.created': 'created the rule',
  'rule.deleted': 'deleted the rule',
  'rule.restored': 'restored the rule',
};
const MANY = 50;

type Props = { moves: readonly Move[]; rules: readonly RuleRecord[]; onAgain: () => void; onDrop: () => void };

/** Moves that were refused because others changed the order: who did, and the choice to move again in the newer order. */
export function Refused({ moves, rules, onAgain, onDrop }: Props) {
  const change = useLastChange();
  if (change === null) return null;
  const names = [...new Set(moves.map(({ id }) => id))].map((id) => rules.find((each) => each.id === id)?.name);
  const what = names.length === 1 ? `“${names[0] ?? 'The rule'}” was not moved.` : 'Your moves were not saved.';
  const mayMove = moves.some(({ id, of }) => [id, of].every((each) => rules.some((rule) => rule.id === each)));
  return (
    <Alert variant="outline" color="yellow" role="alert" mx="md" mb="sm" icon={<TriangleAlert size={18} aria-hidden />}>
      <Text size="sm">
        {change} {what} The list shows the new order.
      </Text>
      <Group gap="xs" mt="xs">
        <Button mih="var(--target)" variant="default" onClick={onDrop}>
          Keep the new order
        </Button>
        {mayMove && (
          <Button mih="var(--target)" onClick={onAgain}>
            Move again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Who changed the order last, in a sentence; null while it is read. */
function useLastChange(): string | null {
  const { workspace } = useWorkspace();
  const { me } = useSession();
  const query = useQuery({
    queryKey: ['lastRuleChange', workspace.id],
    queryFn: async () => {
      const path = { workspace_id: workspace.id };
      return (await auditList({ path, query: { action: 'rule', limit: MANY }, throwOnError: true })).data.items;
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  if (query.isPending) return null;
  const last = query.data?.find(({ action }) => action in ACTS);
  if (!last) return 'Someone else changed the order of the rules.';
  const who = last.actor.id === me.id ? 'You' : last.actor.name || 'Someone else';
  const name = last.action === 'rule.reordered' ? '' : ` “${last.target.name}”`;
  const where = who === 'You' ? ' in another window' : '';
  return `${who} ${ACTS[last.action]}${name}${where}.`;
}
