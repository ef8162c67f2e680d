import { ActionIcon, Button } from '@mantine/core';
import { BellOff, BellRing, Check, Clock, Eye, type LucideIcon, RotateCcw, UserRound, X } from 'lucide-react';
import { Link } from 'wouter';
import { MOST_LIKE, silenceLike } from '@/lib/incidents/silenceLike';
import { useWorkspace } from '@/lib/session/workspace';
import { counted } from '@/lib/words/words';
import { NotedAct } from '@/parts/NotedAct';
import { SnoozeMenu } from '@/parts/SnoozeMenu';
import { MAX_INCIDENTS } from '@/live/acts';
import { useOffline } from '@/live/online';
import { AssignMenu } from '@/screens/inbox/AssignMenu';
import { type BulkAction, bulkActs } from '@/screens/inbox/bulkActs';
import classes from '@/screens/inbox/Inbox.module.css';
import type { Bulk } from '@/screens/inbox/useBulk';

const LOOK: Record<BulkAction, { label: string; icon: LucideIcon }> = {
  acknowledge: { label: 'Acknowledge', icon: Eye },
  unsnooze: { label: 'Unsnooze', icon: BellRing },
  snooze: { label: 'Snooze', icon: Clock },
  resolve: { label: 'Resolve', icon: Check },
  reopen: { label: 'Reopen', icon: RotateCcw },
  assign: { label: 'Assign', icon: UserRound },
};

/** The acts on what is selected. All that match are a second, explicit step. The bar is not usable during an act. */
export default function BulkBar({ bulk }: { bulk: Bulk }) {
  const { incidents: selected, all, run } = bulk;
  const { href } = useWorkspace();
  const busy = useOffline() || bulk.isActing;
  const acts = bulkActs(selected.map((each) => each.state));
  const silenced = selected.filter((each) => each.state !== 'resolved');
  const more = bulk.count !== null && bulk.count > selected.length ? bulk.count : null;
  return (
    <div className={classes.bulk} role="toolbar" aria-label="Actions for the selected incidents">
      <span role="status" className={classes.chosenCount}>
        {all === null ? `${counted(selected.length, 'incident')} selected` : `All ${counted(all, 'incident')} selected`}
      </span>
      {all === null && more !== null && more <= MAX_INCIDENTS && <SelectAll busy={busy} bulk={bulk} more={more} />}
      {all === null && more !== null && more > MAX_INCIDENTS && (
        <span className={classes.countHint}>
          Up to {MAX_INCIDENTS} at once. Narrow your search to select all {more.toLocaleString()}.
        </span>
      )}
      {acts.map((act, index) => {
        const { label, icon: Icon } = LOOK[act];
        const button = (
          <Button
            key={act}
            size="compact-md"
            mih="var(--target)"
            variant={index === 0 ? 'filled' : 'default'}
            disabled={busy}
            leftSection={<Icon size={15} aria-hidden />}
            onClick={act === 'snooze' || act === 'assign' ? undefined : () => void run({ action: act })}
          >
            {label}
          </Button>
        );
        if (act === 'snooze')
          return (
            <SnoozeMenu key={act} onChoose={(until) => run({ action: act, until })}>
              {button}
            </SnoozeMenu>
          );
        if (act === 'assign')
          return (
            <AssignMenu key={act} onChoose={(assigneeId) => void run({ action: act, assigneeId })}>
              {button}
            </AssignMenu>
          );
        return button;
      })}
      {all === null && silenced.length > 0 && silenced.length <= MOST_LIKE && (
        <Button
          component={Link}
          href={href(silenceLike(...silenced))}
          size="compact-md"
          mih="var(--target)"
          variant="default"
          leftSection={<BellOff size={15} aria-hidden />}
        >
          Silence
        </Button>
      )}
      {acts.includes('resolve') && (
        <NotedAct
          compact
          disabled={busy}
          acts={acts.includes('acknowledge') ? ['acknowledge', 'resolve'] : ['resolve']}
          onAct={run}
        />
      )}
      <ActionIcon ml="auto" aria-label="Clear the selection" onClick={bulk.clear}>
        <X size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

type SelectAllProps = {
  busy: boolean;
  bulk: Bulk;
  more: number;
};

function SelectAll({ busy, bulk, more }: SelectAllProps) {
  return (
    <Button size="compact-md" mih="var(--target)" variant="subtle" disabled={busy} onClick={() => bulk.chooseAll(more)}>
      Select all {more.toLocaleString()} matching
    </Button>
  );
}
