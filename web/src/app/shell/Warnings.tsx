import { useQuery } from '@tanstack/react-query';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { adminSystemOptions } from '@/api/@tanstack/react-query.gen';
import { useOptionalWorkspace, useSession } from '@/lib/session/workspace';
import classes from '@/app/shell/Warnings.module.css';

const MINUTE = 60_000;

/** Causes that prevent notifications, on every screen: no worker for administrators, and no route for members. */
export function Warnings() {
  const { me } = useSession();
  return (
    <>
      {me.isInstanceAdmin && <SilentWorkers />}
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

function Bar(of: { grave?: boolean; href: string; link: string; children: ReactNode }) {
  const Icon = of.grave ? CircleAlert : TriangleAlert;
  return (
    <div role="status" className={classes.bar} data-grave={of.grave || undefined}>
      <Icon size={16} aria-hidden className={classes.icon} />
      <span>
        {of.children}{' '}
        <Link href={of.href} className={classes.link}>
          {of.link}
        </Link>
      </span>
    </div>
  );
}
