import {
  workspacesChangeDefaultRoute,
  workspacesReadDefaultRoute,
  type DestinationRecord,
  type RouteRecord,
  type WspId,
} from '@/api';
import { workspacesReadDefaultRouteQueryKey } from '@/api/@tanstack/react-query.gen';
import { untilSaved } from '@/lib/requests/changeFields';
import { refresh } from '@/lib/requests/refresh';

/** The default route of a workspace (`id`) with its revision, which the service answers as `ETag`. */
export type StoredRoute = { id: WspId; route: RouteRecord; tag: string };

export async function readRoute(workspaceId: WspId): Promise<StoredRoute> {
  const path = { workspace_id: workspaceId };
  const { data, response } = await workspacesReadDefaultRoute({ path, throwOnError: true });
  return { id: workspaceId, route: data, tag: response.headers.get('ETag') ?? '*' };
}

/** Replaces the default route if it is still the one with this tag. */
export async function saveRoute(workspaceId: WspId, { route, tag }: Omit<StoredRoute, 'id'>): Promise<void> {
  const path = { workspace_id: workspaceId };
  await workspacesChangeDefaultRoute({ path, headers: { 'If-Match': tag }, body: route, throwOnError: true });
}

/** The query of all screens that show the default route. */
export function routeOptions(workspaceId: WspId) {
  return {
    queryKey: workspacesReadDefaultRouteQueryKey({ path: { workspace_id: workspaceId } }),
    queryFn: () => readRoute(workspaceId),
  };
}

/** Adds a destination to the default route of its workspace, whatever else somebody changes in it meanwhile. */
export async function addToDefaultRoute({ id, workspaceId }: DestinationRecord): Promise<void> {
  await untilSaved(async () => {
    const { route, tag } = await readRoute(workspaceId);
    if (route.destinationIds.includes(id)) return;
    await saveRoute(workspaceId, { route: { ...route, destinationIds: [...route.destinationIds, id] }, tag });
  });
  void refresh('workspacesReadDefaultRoute', 'destinationsList');
}
