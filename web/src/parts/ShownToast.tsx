import { ActionIcon, Button } from '@mantine/core';
import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import classes from '@/parts/ShownToast.module.css';
import { dismissToast, followToasts, holdToast, releaseToast, shownToast } from '@/parts/toast';

/** The message of the newest act, above everything. */
export function ShownToast() {
  const toast = useSyncExternalStore(followToasts, shownToast);
  if (!toast) return null;
  return (
    <div
      key={toast.id}
      role="alert"
      className={classes.toast}
      data-fault={toast.isFault || undefined}
      onMouseEnter={holdToast}
      onMouseLeave={releaseToast}
    >
      <span className={classes.text}>{toast.text}</span>
      {toast.undo && (
        <Button size="compact-sm" variant="default" mih="var(--target)" onClick={toast.undo}>
          Undo
        </Button>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Dismiss"
        miw="var(--target)"
        mih="var(--target)"
        onClick={dismissToast}
      >
        <X size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
