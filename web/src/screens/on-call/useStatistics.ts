import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { onCallStatisticsExport, type OnCallStatisticsReadData, type ScheduleRecord } from '@/api';
import { onCallStatisticsReadOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { useNow } from '@/lib/time/time';
import { saveFile } from '@/parts/saveFile';
import { dayOf, iso, later, midnight } from '@/screens/on-call/range';
import { daysOf, periodFault, periodNameOf } from '@/screens/on-call/statisticsPeriod';

type Query = NonNullable<OnCallStatisticsReadData['query']>;
type Change = { period?: string; since?: string; until?: string; schedule?: string };

/** The figures of each person, in the period and by the schedule of the address. */
export function useStatistics() {
  const { workspace } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const name = periodNameOf(params.get('period'));
  const days = daysOf(name, dayOf(useNow()), { since: params.get('since'), until: params.get('until') });
  const scheduleId = params.get('schedule');
  const fault = periodFault(days);
  const asked: Query = {
    workspaceId: workspace.id,
    ...(scheduleId ? { scheduleId: scheduleId as ScheduleRecord['id'] } : {}),
    from: iso(midnight(days.since)),
    to: iso(midnight(later(days.until, 1))),
  };
  const query = useQuery({
    ...onCallStatisticsReadOptions({ query: asked }),
    enabled: fault === '',
    placeholderData: keepPreviousData,
  });
  const set = (change: Change) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        Object.entries(change).forEach(([key, value]) => (value ? next.set(key, value) : next.delete(key)));
        return next;
      },
      { replace: true },
    );
  const save = () =>
    saveFile(
      () => onCallStatisticsExport({ query: asked, parseAs: 'blob', throwOnError: true }),
      `${workspace.slug}-on-call-${days.since}-${days.until}`,
      'csv',
    );
  return { name, days, scheduleId, fault, query, set, save };
}
