import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { schedulesRemove, schedulesRestore, type ScheduleRecord } from '@/api';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { DeleteButton } from '@/parts/editor/DeleteButton';
import { DeleteSection } from '@/parts/editor/DeleteSection';
import { sayFault, sayWithUndo } from '@/parts/toast';
import { CHANGED } from '@/screens/on-call/useSchedules';

/** Deletes a schedule. It can be undone, and for seven days it can be restored. */
export function Deletion({ schedule }: { schedule: ScheduleRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const restore = async () => {
    try {
      await schedulesRestore({ path: { deleted_schedule_id: schedule.id }, throwOnError: true });
    } catch (fault) {
      sayFault(fault);
    }
    void refresh(...CHANGED);
  };
  const remove = useMutation({
    mutationFn: () => schedulesRemove({ path: { schedule_id: schedule.id }, throwOnError: true }),
    onSuccess: () => {
      sayWithUndo('Schedule deleted', () => void restore());
      navigate(href('on-call'));
      void refresh(...CHANGED);
    },
    onError: sayFault,
  });
  return (
    <DeleteSection noun="schedule">
      <DeleteButton noun="schedule" name={schedule.name} isDeleting={remove.isPending} onDelete={() => remove.mutate()}>
        <Text size="sm">Nobody is on call by it any more. It can be restored for seven days, with its overrides.</Text>
      </DeleteButton>
    </DeleteSection>
  );
}
