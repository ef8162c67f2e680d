import { useQuery } from '@tanstack/react-query';
import { adminSystemOptions } from '@/api/@tanstack/react-query.gen';
import { useOptionalWorkspace, useSession } from '@/lib/session/workspace';
import { Bar } from '@/app/shell/Bar';
import { SilentPhone } from '@/app/shell/SilentPhone';

const MINUTE = 60_000;

/**
 * Causes that prevent notifications, on every screen: no worker for administrators, and no route. In the inbox of a phone,
 * that its notifications are off. `FailingDestinations` come below the page.
 */
export function Warnings({ active }: { active: string }) {
  const { me } = useSession();
  return (
    <>
      {me.isInstanceAdmin && <SilentWorkers />}
      {active === 'inbox' && <SilentPhone />}
      <NoRoute />
    </>
  );
}

/** No worker has reported for a minute, or none serves one of the queues. */
function SilentWorkers() {
  const { data } = useQuery({ ...adminSystemOptions(), refetchInterval: MINUTE, staleTime: MINUTE / 2 });
  if (!data || data.workers.status === 'ok') return null;
  return (
    <Bar grave={data.workers.status === 'down'} href="/admin" link="System status">
      {data.workers.detail}
    </Bar>
  );
}

function NoRoute() {
  const workspace = useOptionalWorkspace();
  if (!workspace?.notifiesNobody) return null;
  return (
    <Bar href={`/w/${workspace.slug}/destinations`} link="Destinations">
      Incidents in {workspace.name} notify nobody: no route leads to an enabled destination.
    </Bar>
  );
}
