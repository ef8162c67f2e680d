import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { destinationsList, type WorkspaceRecord } from '@/api';
import { listed } from '@/lib/words/words';
import { Bar } from '@/app/shell/Bar';

const MINUTE = 60_000;
/** The first screen is read before. */
const BEGIN = 5_000;
const NAMED = 3;

/** Destinations whose deliveries fail and are tried again, on every screen. They are read each minute, and not with each change. */
export function FailingDestinations({ workspace }: { workspace: WorkspaceRecord }) {
  const [isBegun, setBegun] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setBegun(true), BEGIN);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({
    queryKey: ['failing destinations', workspace.id],
    queryFn: async () =>
      (await destinationsList({ query: { workspaceId: workspace.id, limit: 200 }, throwOnError: true })).data,
    enabled: isBegun,
    refetchInterval: MINUTE,
    staleTime: MINUTE / 2,
  });
  const names = data?.items.filter(({ health }) => health.state === 'retrying').map(({ name }) => name) ?? [];
  if (names.length === 0) return null;
  const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
  return (
    <Bar late href={`/w/${workspace.slug}/destinations`} link="Destinations">
      Not delivered yet: {listed([...names.slice(0, NAMED), ...more])} {names.length === 1 ? 'does' : 'do'} not accept
      notifications.
    </Bar>
  );
}
