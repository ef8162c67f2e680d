import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { heartbeatMonitorsPreviewSchedule, type HeartbeatSchedule } from '@/api';
import { type Draft, scheduleOf } from '@/screens/heartbeats/draft';

const WAIT_MS = 350;

/** The preview of the schedule of a form, read shortly after the last change; `settled` is the schedule that it is of. */
export function usePreview(draft: Draft) {
  const schedule = scheduleOf(draft);
  const isReady = schedule.kind === 'simple' ? (schedule.periodSeconds ?? 0) >= 60 : schedule.expression !== '';
  const [settled] = useDebouncedValue(isReady ? JSON.stringify(schedule) : '', WAIT_MS);
  const preview = useQuery({
    queryKey: ['schedulePreview', settled],
    queryFn: async ({ signal }) =>
      (
        await heartbeatMonitorsPreviewSchedule({
          body: { schedule: JSON.parse(settled) as HeartbeatSchedule },
          throwOnError: true,
          signal,
        })
      ).data,
    enabled: isReady && settled !== '',
    staleTime: 30_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return { preview, isReady, settled };
}
