import { workspacesChangeDefaultRoute, workspacesReadDefaultRoute, type DestinationRecord } from '@/api';
import { refresh } from '@/lib/refresh';

/** Adds a destination to the default route of its workspace. */
export async function addToDefaultRoute({ id, workspaceId }: DestinationRecord): Promise<void> {
  const path = { workspace_id: workspaceId };
  const { data } = await workspacesReadDefaultRoute({ path, throwOnError: true });
  if (!data.destinationIds.includes(id))
    await workspacesChangeDefaultRoute({
      path,
      body: { ...data, destinationIds: [...data.destinationIds, id] },
      throwOnError: true,
    });
  void refresh('workspacesReadDefaultRoute', 'destinationsList');
}
