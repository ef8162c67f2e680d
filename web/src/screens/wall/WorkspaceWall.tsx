import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { incidentsCountsOptions, incidentsFacetsOptions, incidentsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { SkeletonRows } from '@/parts/EmptyState';
import { LastResolved } from '@/parts/LastResolved';
import { instanceName } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { ConnectionBar, ConnectionDot } from '@/live/ConnectionState';
import { useConnection } from '@/live/live';
import { AllQuiet } from '@/screens/wall/AllQuiet';
import { Board } from '@/screens/wall/Board';
import { countOf } from '@/screens/wall/counts';
import { Heartbeats } from '@/screens/wall/Heartbeats';
import { isStale } from '@/screens/wall/stale';
import { useStaysAwake } from '@/screens/wall/useStaysAwake';

/** More rows than any screen has room for: the list takes what fits. */
const SHOWN = 40;
const MINUTE = 60_000;

/** Open and acknowledged incidents and heartbeats in large type, for a screen on a wall. It names no person and has no act. */
export function WorkspaceWall() {
  const { workspace, href } = useWorkspace();
  const now = useNow();
  const shared = { refetchInterval: MINUTE, placeholderData: keepPreviousData };
  const counts = useQuery({ ...incidentsCountsOptions({ query: { workspaceId: workspace.id } }), ...shared });
  const list = useQuery({
    ...incidentsListOptions({
      query: {
        workspaceId: workspace.id,
        limit: SHOWN,
        state: ['open', 'acknowledged'],
        sort: 'severity',
        order: 'desc',
      },
    }),
    ...shared,
  });
  useEffect(() => {
    document.title = `${workspace.name} · ${instanceName()}`;
  }, [workspace.name]);
  useStaysAwake();
  const connection = useConnection();
  const readAt = Math.min(counts.dataUpdatedAt, list.dataUpdatedAt);
  const stale = isStale({ now, readAt, connection });
  const bySeverity = useQuery({
    ...incidentsFacetsOptions({
      query: { workspaceId: workspace.id, state: ['open', 'acknowledged'], facet: ['severity'] },
    }),
    ...shared,
  });
  return (
    <Board
      name={workspace.name}
      now={now}
      staleSince={stale ? readAt : null}
      states={counts.data?.byState}
      countOf={(severity) => countOf(bySeverity.data, severity)}
      rows={list.data?.items}
      sign={<ConnectionDot />}
      notice={
        <>
          {!stale && <ConnectionBar />}
          {list.error && <ProblemAlert fault={list.error} onRetry={() => list.refetch()} />}
        </>
      }
      heartbeats={<Heartbeats />}
      instead={
        list.isPending ? (
          <SkeletonRows count={4} />
        ) : (
          list.data && (
            <AllQuiet>
              {' '}
              <LastResolved workspaceId={workspace.id} />
            </AllQuiet>
          )
        )
      }
      link={
        <Button component={Link} href={href('inbox')} variant="default" size="sm">
          Go to the inbox
        </Button>
      }
    />
  );
}
