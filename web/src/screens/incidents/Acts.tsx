import { Button, Group } from '@mantine/core';
import { BellOff, BellRing, Check, Clock, Ellipsis, Eye, EyeOff, RotateCcw } from 'lucide-react';
import { lazy } from 'react';
import type { IncidentRecord } from '@/api';
import { usePhone } from '@/lib/navigation/usePhone';
import { Later } from '@/parts/Later';
import { PressMenu } from '@/parts/menu/PressMenu';
import { NotedAct } from '@/parts/NotedAct';
import { SnoozeMenu } from '@/parts/SnoozeMenu';
import { ActsBar } from '@/screens/incidents/ActsBar';
import { PeopleItems } from '@/screens/incidents/PeopleItems';
import { useActs } from '@/screens/incidents/useActs';

const PageDialog = lazy(() => import('@/screens/incidents/PageDialog'));
const SilenceSheet = lazy(() => import('@/screens/incidents/silence/SilenceSheet'));

/** The acts that the state of an incident allows: beside its state, on a phone at the bottom of the window. */
export function Acts({ incident }: { incident: IncidentRecord }) {
  const acts = useActs(incident);
  const isPhone = usePhone();
  return (
    <>
      {isPhone ? <ActsBar acts={acts} state={incident.state} /> : <ActsRow acts={acts} />}
      <Later opened={acts.people.isOpen}>
        <PageDialog incident={incident} opened={acts.people.isOpen} onClose={acts.people.close} />
      </Later>
      <Later opened={acts.silence.isOpen}>
        <SilenceSheet incident={incident} opened={acts.silence.isOpen} onClose={acts.silence.close} />
      </Later>
    </>
  );
}

/** The first act is the usual one. */
function ActsRow({ acts }: { acts: ReturnType<typeof useActs> }) {
  const { run, may } = acts;
  const shared = { disabled: acts.isDisabled, mih: 'var(--target)', variant: 'default' } as const;
  return (
    <Group gap="xs">
      {may('acknowledge') && (
        <Button
          {...shared}
          variant="filled"
          leftSection={<Eye size={16} aria-hidden />}
          onClick={() => run({ action: 'acknowledge' })}
        >
          Acknowledge
        </Button>
      )}
      {may('unacknowledge') && (
        <Button
          {...shared}
          leftSection={<EyeOff size={16} aria-hidden />}
          onClick={() => run({ action: 'unacknowledge' })}
        >
          Unacknowledge
        </Button>
      )}
      {may('unsnooze') && (
        <Button
          {...shared}
          leftSection={<BellRing size={16} aria-hidden />}
          onClick={() => run({ action: 'unsnooze' })}
        >
          Unsnooze
        </Button>
      )}
      {may('snooze') && (
        <SnoozeMenu onChoose={(until) => run({ action: 'snooze', until })}>
          <Button {...shared} leftSection={<Clock size={16} aria-hidden />}>
            Snooze
          </Button>
        </SnoozeMenu>
      )}
      {may('resolve') && <Endings acts={acts} shared={shared} />}
      {may('reopen') && (
        <Button {...shared} leftSection={<RotateCcw size={16} aria-hidden />} onClick={() => run({ action: 'reopen' })}>
          Reopen
        </Button>
      )}
      {acts.people.mayPage && (
        <PressMenu
          position="bottom-end"
          width={250}
          button={
            <Button {...shared} px={10} aria-label="More actions">
              <Ellipsis size={16} aria-hidden />
            </Button>
          }
        >
          {(menu) => <PeopleItems menu={menu} acts={acts} />}
        </PressMenu>
      )}
    </Group>
  );
}

type EndingsProps = {
  acts: ReturnType<typeof useActs>;
  shared: { disabled: boolean; mih: string; variant: 'default' };
};

/** The acts that end the incident, or its notices. */
function Endings({ acts, shared }: EndingsProps) {
  const { run, may, silence } = acts;
  return (
    <>
      <Button {...shared} leftSection={<Check size={16} aria-hidden />} onClick={() => run({ action: 'resolve' })}>
        Resolve
      </Button>
      <NotedAct
        disabled={shared.disabled}
        acts={may('acknowledge') ? ['acknowledge', 'resolve'] : ['resolve']}
        onAct={run}
      />
      <Button {...shared} leftSection={<BellOff size={16} aria-hidden />} onClick={silence.open}>
        Silence similar…
      </Button>
    </>
  );
}
