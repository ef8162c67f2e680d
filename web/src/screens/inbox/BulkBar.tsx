import { ActionIcon, Button } from '@mantine/core';
import { Check, Clock, Eye, X } from 'lucide-react';
import { useState } from 'react';
import type { IncidentRecord } from '@/api';
import { type Act, perform } from '@/lib/acts';
import { useOffline } from '@/lib/online';
import { counted } from '@/lib/words';
import { SnoozeMenu } from '@/parts/SnoozeMenu';
import classes from '@/screens/inbox/Inbox.module.css';

/** The acts on what is selected. It is not usable while an act is under way. */
export function BulkBar({ selected, onClear }: { selected: IncidentRecord[]; onClear: () => void }) {
  const [acting, setActing] = useState(false);
  const busy = useOffline() || acting;
  const run = async (act: Act) => {
    setActing(true);
    await perform(selected, act);
    setActing(false);
    onClear();
  };
  return (
    <div className={classes.bulk} role="toolbar" aria-label="Acts on the selected incidents">
      <span role="status" style={{ fontWeight: 600, fontSize: 13 }}>
        {counted(selected.length, 'incident')} selected
      </span>
      <Button
        size="compact-md"
        mih="var(--target)"
        disabled={busy}
        leftSection={<Eye size={15} aria-hidden />}
        onClick={() => run({ action: 'acknowledge' })}
      >
        Acknowledge
      </Button>
      <SnoozeMenu onChoose={(until) => run({ action: 'snooze', until })}>
        <Button
          size="compact-md"
          mih="var(--target)"
          variant="default"
          disabled={busy}
          leftSection={<Clock size={15} aria-hidden />}
        >
          Snooze
        </Button>
      </SnoozeMenu>
      <Button
        size="compact-md"
        mih="var(--target)"
        variant="default"
        disabled={busy}
        leftSection={<Check size={15} aria-hidden />}
        onClick={() => run({ action: 'resolve' })}
      >
        Resolve
      </Button>
      <ActionIcon ml="auto" aria-label="Clear the selection" onClick={onClear}>
        <X size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
