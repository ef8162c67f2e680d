import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { schedulePreviewsCreate, type OnCallPreviewRequestWritable, type ScheduleRecord } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { missingOfLayers, shiftsOf, type ScheduleForm } from '@/screens/on-call/draft';

const WAIT_MS = 400;
/** A calendar is read from another server, so its address should be complete. */
const WAIT_FOR_ADDRESS_MS = 1_000;

/** The shifts of the next four weeks before and after the form is saved, read shortly after the last change. */
export function usePreview(form: ScheduleForm, scheduleId: ScheduleRecord['id'] | null) {
  const { workspace } = useWorkspace();
  const lack = missingOfLayers(form);
  const [settled] = useDebouncedValue(lack ? '' : textOf(form), form.follows ? WAIT_FOR_ADDRESS_MS : WAIT_MS);
  const preview = useQuery({
    queryKey: ['onCallPreview', scheduleId, settled],
    queryFn: async ({ signal }) => {
      const fields = JSON.parse(settled) as Pick<OnCallPreviewRequestWritable, 'timezone' | 'layers' | 'calendarUrl'>;
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
  return JSON.stringify({ timezone: form.timezone, ...shiftsOf(form) });
}
