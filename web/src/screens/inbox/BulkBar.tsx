import { ActionIcon, Button } from '@mantine/core';
import { Check, Clock, Eye, X } from 'lucide-react';
import { useState } from 'react';
import type { BulkRequest, IncidentRecord } from '@/api';
import { type Act, MAX_INCIDENTS, perform, performMatching } from '@/lib/acts';
import { useOffline } from '@/lib/online';
import { counted } from '@/lib/words';
import { NotedAct } from '@/parts/NotedAct';
import { SnoozeMenu } from '@/parts/SnoozeMenu';
import classes from '@/screens/inbox/Inbox.module.css';

type Props = {
  selected: IncidentRecord[];
  /** All incidents of the tab under the search, and how many they are. */
  matching: { filter: NonNullable<BulkRequest['filter']>; count: number | null };
  onClear: () => void;
};

/** The acts on what is selected. All that match are a second, explicit step. The bar is not usable during an act. */
export function BulkBar({ selected, matching, onClear }: Props) {
  const [acting, setActing] = useState(false);
  const [all, setAll] = useState<number | null>(null);
  const busy = useOffline() || acting;
  const run = async (act: Act) => {
    setActing(true);
    await (all === null ? perform(selected, act) : performMatching(matching.filter, all, act));
    setActing(false);
    onClear();
  };
  const more = matching.count !== null && matching.count > selected.length ? matching.count : null;
  return (
    <div className={classes.bulk} role="toolbar" aria-label="Acts on the selected incidents">
      <span role="status" style={{ fontWeight: 600, fontSize: 13 }}>
        {all === null ? `${counted(selected.length, 'incident')} selected` : `All ${counted(all, 'incident')} selected`}
      </span>
      {all === null && more !== null && more <= MAX_INCIDENTS && (
        <Button size="compact-md" mih="var(--target)" variant="subtle" disabled={busy} onClick={() => setAll(more)}>
          Select all {more.toLocaleString()} matching
        </Button>
      )}
      {all === null && more !== null && more > MAX_INCIDENTS && (
        <span style={{ fontSize: 12, color: 'var(--text-soft)' }}>
          {more.toLocaleString()} match. An act takes {MAX_INCIDENTS}: narrow the search to select all.
        </span>
      )}
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
      <NotedAct compact disabled={busy} acts={['acknowledge', 'resolve']} onAct={(act) => void run(act)} />
      <ActionIcon ml="auto" aria-label="Clear the selection" onClick={onClear}>
        <X size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
