import { Loader, Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { EmptyState } from '@/parts/EmptyState';
import { useMayCreate } from '@/lib/session/mayCreate';
import { NewWorkspaceForm } from '@/parts/NewWorkspace';
import { PageHeader } from '@/parts/PageHeader';

/** The page for a person without a workspace: the name of a first one, or who may create workspaces. */
export function FirstWorkspace() {
  const info = useQuery(infoReadOptions());
  const mayCreate = useMayCreate();
  if (info.isPending) return <Loader size="sm" m="md" role="status" aria-label="Loading" />;
  if (!mayCreate)
    return (
      <EmptyState isScreen icon={Users} title="You are not in a workspace yet">
        Ask a workspace owner for an invite. Administrators of this instance create workspaces.
      </EmptyState>
    );
  return (
    <>
      <PageHeader title="Your first workspace" about="It holds your sources, rules and incidents." />
      <Paper px="md" maw={480}>
        <NewWorkspaceForm />
      </Paper>
    </>
  );
}
