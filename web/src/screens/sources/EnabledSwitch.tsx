import { Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { SourceRecord } from '@/api';
import { sourcesEditMutation } from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import styles from '@/parts/styles.module.css';
import { sayFault, sayWithUndo } from '@/parts/toast';
import classes from '@/screens/sources/Sources.module.css';

/** Whether keys of the source are accepted. A change takes effect at once and can be undone. */
export function EnabledSwitch({ source, readOnly }: { source: SourceRecord; readOnly: boolean }) {
  const edit = useMutation({
    ...sourcesEditMutation(),
    // A second change waits for the first: the last one counts.
    scope: { id: source.id },
    onSuccess: () => refresh('sourcesList', 'sourcesRead'),
    onError: sayFault,
  });
  const set = (enabled: boolean, withUndo: boolean) =>
    edit.mutate(
      { path: { source_id: source.id }, body: { enabled } },
      {
        onSuccess: () =>
          withUndo &&
          sayWithUndo(
            enabled ? `${source.name} is enabled.` : `${source.name} is disabled. Its keys are refused.`,
            () => set(!enabled, false),
          ),
      },
    );
  const shown = edit.isPending ? edit.variables.body.enabled : source.enabled;
  return (
    <span onClick={(event) => event.stopPropagation()} className={styles.inlineTarget}>
      <Switch
        checked={shown ?? false}
        disabled={readOnly}
        aria-label={`${source.name} is enabled`}
        onChange={(event) => set(event.currentTarget.checked, true)}
        classNames={{ track: classes.pointer, body: styles.centred }}
      />
    </span>
  );
}
