import { useMutation } from '@tanstack/react-query';
import { overridesCreate, overridesRemove, type OverrideNew, type OverrideRecord, type ScheduleRecord } from '@/api';
import { refresh } from '@/lib/requests/refresh';
import { sayFault, sayWithUndo } from '@/parts/toast';
import { CHANGED } from '@/screens/on-call/useSchedules';

type Wish = { body: OverrideNew; said: string };

/** Creates an override, and offers to remove it again. */
export function useCover(scheduleId: ScheduleRecord['id']) {
  return useMutation({
    mutationFn: async ({ body }: Wish) =>
      (await overridesCreate({ path: { schedule_id: scheduleId }, body, throwOnError: true })).data,
    onSuccess: (made, { said }) => {
      sayWithUndo(said, () => void remove(made));
      void refresh(...CHANGED);
    },
  });
}

/** Removes an override that has not begun, and ends one that has. Returns whether the service did. */
export async function remove(override: OverrideRecord): Promise<boolean> {
  try {
    await overridesRemove({
      path: { schedule_id: override.scheduleId, override_id: override.id },
      headers: { 'If-Match': `"${override.rev}"` },
      throwOnError: true,
    });
    return true;
  } catch (fault) {
    sayFault(fault);
    return false;
  } finally {
    void refresh(...CHANGED);
  }
}
