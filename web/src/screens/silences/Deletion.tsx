import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { silencesRemove, silencesRestore, type SilenceRecord } from '@/api';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { DeleteSection } from '@/parts/editor/DeleteSection';
import styles from '@/parts/styles.module.css';
import { sayFault, sayWithUndo } from '@/parts/toast';

const LISTS = ['silencesList', 'silencesRead'] as const;

/** Takes a silence off the lists. It can be undone, and for seven days it can be restored. */
export function Deletion({ silence }: { silence: SilenceRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const restore = async () => {
    try {
      await silencesRestore({ path: { deleted_silence_id: silence.id }, throwOnError: true });
    } catch (fault) {
      sayFault(fault);
    }
    void refresh(...LISTS);
  };
  const remove = useMutation({
    mutationFn: () => silencesRemove({ path: { silence_id: silence.id }, throwOnError: true }),
    onSuccess: () => {
      sayWithUndo('Silence deleted', () => void restore());
      navigate(href(`silences${silence.state === 'active' ? '' : `?state=${silence.state}`}`));
      void refresh(...LISTS);
    },
    onError: sayFault,
  });
  return (
    <DeleteSection
      noun="silence"
      about={
        <>
          {silence.state === 'active' && 'Its incidents return to their previous state and may send notifications. '}
          It can be restored for seven days.
        </>
      }
    >
      <Button
        variant="outline"
        color="red"
        mih="var(--target)"
        loading={remove.isPending}
        onClick={() => remove.mutate()}
        classNames={{ label: styles.critical }}
      >
        Delete the silence
      </Button>
    </DeleteSection>
  );
}
