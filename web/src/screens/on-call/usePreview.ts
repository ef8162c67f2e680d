import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { schedulePreviewsCreate, type OnCallPreviewRequest, type ScheduleRecord } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { bodyOf, missingOfLayers, type ScheduleForm } from '@/screens/on-call/draft';

const WAIT_MS = 400;

/** The shifts of the next four weeks before and after the form is saved, read shortly after the last change. */
export function usePreview(form: ScheduleForm, scheduleId: ScheduleRecord['id'] | null) {
  const { workspace } = useWorkspace();
  const lack = missingOfLayers(form);
  const [settled] = useDebouncedValue(lack ? '' : textOf(form), WAIT_MS);
  const preview = useQuery({
    queryKey: ['onCallPreview', scheduleId, settled],
    queryFn: async ({ signal }) => {
      const fields = JSON.parse(settled) as Pick<OnCallPreviewRequest, 'timezone' | 'layers'>;
      const body = { workspaceId: workspace.id, scheduleId, ...fields };
      return (await schedulePreviewsCreate({ body, throwOnError: true, signal })).data;
    },
    enabled: lack === '' && settled !== '',
    staleTime: 30_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return { preview, lack };
}

function textOf(form: ScheduleForm): string {
  const { timezone, layers } = bodyOf(form);
  return JSON.stringify({ timezone, layers });
}
