import { Alert, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { isProblem } from '@/lib/requests/problems';
import { ProblemAlert } from '@/parts/ProblemAlert';

/** A refusal; for the last owner it says what to do first. */
export function MemberProblem({ fault }: { fault: unknown }) {
  if (!fault) return null;
  if (!isProblem(fault) || fault.code !== 'workspace_needs_owner') return <ProblemAlert fault={fault} />;
  return (
    <Alert
      color="red"
      variant="outline"
      role="alert"
      icon={<TriangleAlert size={18} aria-hidden />}
      title="The workspace needs an owner"
    >
      <Text size="sm">
        This is the last owner of {fault.workspace?.name ?? 'the workspace'} who can sign in. Give another member the
        role Owner first, or invite one.
      </Text>
    </Alert>
  );
}
