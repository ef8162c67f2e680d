import { Alert, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { RuleRecord } from '@/api';
import { destinationsListOptions, rulesListOptions } from '@/api/@tanstack/react-query.gen';
import { routeOptions } from '@/lib/configuration/defaultRoute';
import { useWorkspace } from '@/lib/session/workspace';
import type { RuleForm } from '@/screens/rules/draft';
import { warningsOf } from '@/screens/rules/ruleWarnings';

/** What is allowed and probably not meant, before the rule is saved. */
export function Warnings({ form, rule }: { form: RuleForm; rule: RuleRecord | null }) {
  const { id } = useWorkspace().workspace;
  const rules = useQuery(rulesListOptions({ query: { workspaceId: id, sort: 'position', order: 'asc', limit: 200 } }));
  const destinations = useQuery(destinationsListOptions({ query: { workspaceId: id, limit: 100 } }));
  const route = useQuery(routeOptions(id));
  const found = warningsOf(form, {
    position: rule?.position ?? null,
    rules: rules.data?.items.filter((each) => each.id !== rule?.id) ?? [],
    destinations: destinations.data?.items ?? [],
    defaultRoute: route.data?.route,
  });
  return (
    <div role="status">
      {found.length > 0 && (
        <Alert color="yellow" variant="outline" mb="md" icon={<TriangleAlert size={18} aria-hidden />}>
          <List size="sm">
            {found.map((each) => (
              <List.Item key={each}>{each}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </div>
  );
}
