import { ActionIcon, Button } from '@mantine/core';
import { BellOff, BellRing, Check, Ellipsis, Eye, EyeOff, MessageSquarePlus, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { IncidentRecord } from '@/api';
import { PressMenu } from '@/parts/menu/PressMenu';
import { NotedActDialog } from '@/parts/NotedAct';
import { PageBar } from '@/parts/PageBar';
import { CustomSnooze, SnoozeChoices } from '@/parts/SnoozeMenu';
import { PeopleItems } from '@/screens/incidents/PeopleItems';
import type { Acts } from '@/screens/incidents/useActs';

/** The acts within reach of the thumb: the two usual ones, a silence, and the others in a menu. */
export function ActsBar({ acts, state }: { acts: Acts; state: IncidentRecord['state'] }) {
  const { run, may, isDisabled } = acts;
  const shared = { disabled: isDisabled, h: 44, 'data-grow': true };
  return (
    <PageBar label="Actions">
      {may('acknowledge') && (
        <Button {...shared} leftSection={<Eye size={16} aria-hidden />} onClick={() => run({ action: 'acknowledge' })}>
          Acknowledge
        </Button>
      )}
      {may('resolve') && (
        <Button
          {...shared}
          variant={state === 'acknowledged' ? 'filled' : 'default'}
          leftSection={<Check size={16} aria-hidden />}
          onClick={() => run({ action: 'resolve' })}
        >
          Resolve
        </Button>
      )}
      {may('reopen') && (
        <Button
          {...shared}
          variant="default"
          leftSection={<RotateCcw size={16} aria-hidden />}
          onClick={() => run({ action: 'reopen' })}
        >
          Reopen
        </Button>
      )}
      {acts.maySilence && (
        <>
          <ActionIcon
            size={44}
            variant="default"
            aria-label="Silence similar…"
            disabled={isDisabled}
            onClick={acts.silence.open}
          >
            <BellOff size={18} aria-hidden />
          </ActionIcon>
          <MoreActs acts={acts} />
        </>
      )}
    </PageBar>
  );
}

function MoreActs({ acts }: { acts: Acts }) {
  const { run, may, isDisabled } = acts;
  const [isNoting, setNoting] = useState(false);
  const [isCustom, setCustom] = useState(false);
  const snooze = (until: string) => void run({ action: 'snooze', until });
  return (
    <>
      <PressMenu
        position="top-end"
        width={290}
        button={
          <ActionIcon size={44} variant="default" aria-label="More actions" disabled={isDisabled}>
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        }
      >
        {(Menu) => (
          <>
            <PeopleItems menu={Menu} acts={acts} />
            {may('unacknowledge') && (
              <Menu.Item
                mih="var(--target)"
                leftSection={<EyeOff size={16} aria-hidden />}
                onClick={() => run({ action: 'unacknowledge' })}
              >
                Unacknowledge
              </Menu.Item>
            )}
            {may('unsnooze') && (
              <Menu.Item
                mih="var(--target)"
                leftSection={<BellRing size={16} aria-hidden />}
                onClick={() => run({ action: 'unsnooze' })}
              >
                Unsnooze
              </Menu.Item>
            )}
            {may('resolve') && (
              <Menu.Item
                mih="var(--target)"
                leftSection={<MessageSquarePlus size={16} aria-hidden />}
                onClick={() => setNoting(true)}
              >
                Respond with note
              </Menu.Item>
            )}
            {may('snooze') && (
              <>
                <Menu.Label>Snooze</Menu.Label>
                <SnoozeChoices menu={Menu} onChoose={snooze} onCustom={() => setCustom(true)} />
              </>
            )}
          </>
        )}
      </PressMenu>
      <CustomSnooze opened={isCustom} onClose={() => setCustom(false)} onChoose={snooze} />
      <NotedActDialog
        opened={isNoting}
        onClose={() => setNoting(false)}
        disabled={isDisabled}
        acts={may('acknowledge') ? ['acknowledge', 'resolve'] : ['resolve']}
        onAct={run}
      />
    </>
  );
}
