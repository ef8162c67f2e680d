import { Button, Group } from '@mantine/core';
import { BellOff, BellRing, Check, Clock, Eye, EyeOff, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { IncidentRecord } from '@/api';
import type { Act } from '@/lib/incidents/act';
import { allows } from '@/lib/incidents/allowed';
import { silenceLike } from '@/lib/incidents/silenceLike';
import { useKeys } from '@/lib/keyboard/keys';
import { useWorkspace } from '@/lib/session/workspace';
import { snoozeKeys } from '@/lib/time/snooze';
import { NotedAct } from '@/parts/NotedAct';
import { SnoozeMenu } from '@/parts/SnoozeMenu';
import { perform } from '@/live/acts';
import { useOffline } from '@/live/online';
import classes from '@/screens/incidents/Incident.module.css';

type Shared = { disabled: boolean; mih: string; variant: 'default' };

/** The acts that the state of an incident allows; the first one is the usual one. */
export function Acts({ incident }: { incident: IncidentRecord }) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const { state } = incident;
  const offline = useOffline();
  const run = async (act: Act) => {
    setBusy(true);
    const isDone = await perform([incident], act);
    setBusy(false);
    return isDone;
  };
  const silence = href(silenceLike(incident));
  const mayAcknowledge = allows('acknowledge', state);
  const maySnooze = allows('snooze', state);
  const mayResolve = allows('resolve', state);
  useKeys('Incident', [
    ...(state === 'resolved' ? [] : [{ keys: 'm', label: 'Silence like this', run: () => navigate(silence) }]),
    ...(mayAcknowledge ? [{ keys: 'a', label: 'Acknowledge', run: () => void run({ action: 'acknowledge' }) }] : []),
    ...(mayResolve ? [{ keys: 'r', label: 'Resolve', run: () => void run({ action: 'resolve' }) }] : []),
    ...(maySnooze ? snoozeKeys((until) => void run({ action: 'snooze', until })) : []),
  ]);
  const shared: Shared = { disabled: busy || offline, mih: 'var(--target)', variant: 'default' };
  return (
    <Group gap="xs" className={classes.acts}>
      {mayAcknowledge && (
        <Button
          {...shared}
          variant="filled"
          leftSection={<Eye size={16} aria-hidden />}
          onClick={() => run({ action: 'acknowledge' })}
        >
          Acknowledge
        </Button>
      )}
      {allows('unacknowledge', state) && (
        <Button
          {...shared}
          leftSection={<EyeOff size={16} aria-hidden />}
          onClick={() => run({ action: 'unacknowledge' })}
        >
          Unacknowledge
        </Button>
      )}
      {allows('unsnooze', state) && (
        <Button
          {...shared}
          leftSection={<BellRing size={16} aria-hidden />}
          onClick={() => run({ action: 'unsnooze' })}
        >
          Wake now
        </Button>
      )}
      {maySnooze && (
        <SnoozeMenu onChoose={(until) => run({ action: 'snooze', until })}>
          <Button {...shared} leftSection={<Clock size={16} aria-hidden />}>
            Snooze
          </Button>
        </SnoozeMenu>
      )}
      {mayResolve && <Endings shared={shared} run={run} mayAcknowledge={mayAcknowledge} silence={silence} />}
      {allows('reopen', state) && (
        <Button {...shared} leftSection={<RotateCcw size={16} aria-hidden />} onClick={() => run({ action: 'reopen' })}>
          Reopen
        </Button>
      )}
    </Group>
  );
}

type EndingsProps = {
  shared: Shared;
  run: (act: Act) => Promise<boolean>;
  mayAcknowledge: boolean;
  silence: string;
};

/** The acts that end the incident, or its notices. */
function Endings({ shared, run, mayAcknowledge, silence }: EndingsProps) {
  return (
    <>
      <Button {...shared} leftSection={<Check size={16} aria-hidden />} onClick={() => run({ action: 'resolve' })}>
        Resolve
      </Button>
      <NotedAct
        disabled={shared.disabled}
        acts={mayAcknowledge ? ['acknowledge', 'resolve'] : ['resolve']}
        onAct={run}
      />
      <Button {...shared} component={Link} href={silence} leftSection={<BellOff size={16} aria-hidden />}>
        Silence like this
      </Button>
    </>
  );
}
