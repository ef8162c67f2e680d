import { Alert, Button, Checkbox, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Bell, BellOff } from 'lucide-react';
import { pushUnsubscribe, type DeviceRecord, type WorkspaceRecord } from '@/api';
import { type Choice, endSubscription, pushFault } from '@/lib/device/push';
import { refresh } from '@/lib/requests/refresh';
import { myWorkspaces } from '@/lib/requests/start';
import { SEVERITY_WORD } from '@/lib/words/words';
import { TestPush } from '@/parts/push/TestPush';
import { useTurnOn } from '@/parts/push/useTurnOn';
import { say } from '@/parts/toast';

const FLOORS = ['CRITICAL', 'ERROR', 'WARNING', 'INFO'] as const;

/** Notifications of this phone: on or off, of which workspaces, and what the lock screen shows. */
export function Notifications({ device }: { device: DeviceRecord }) {
  const { push } = device;
  const fault = pushFault();
  const { busy, attempt, change } = useTurnOn(device);
  const turnOff = () =>
    attempt('off', async () => {
      await pushUnsubscribe({ throwOnError: true });
      await endSubscription();
      await refresh('devicesList');
    });
  const isOn = push.state !== 'none';
  return (
    <Stack gap="sm" mt="sm">
      <Text size="sm">
        A phone can silence push. For incidents that must wake you, also add a destination such as a phone-call service.
      </Text>
      {push.state === 'lost' && (
        <Alert color="orange" variant="outline" icon={<BellOff size={18} aria-hidden />}>
          <Text size="sm">Push stopped working: the push service ended the subscription of this phone.</Text>
        </Alert>
      )}
      {push.state === 'refused' && (
        <Alert color="red" variant="outline" icon={<BellOff size={18} aria-hidden />}>
          <Text size="sm">
            The push service rejects requests from this instance ({push.lastError}). Contact your administrator.
          </Text>
        </Alert>
      )}
      {fault && (
        <Text size="sm" className="soft">
          {fault}
        </Text>
      )}
      <Group gap="xs">
        {(!isOn || push.state === 'lost') && (
          <Button
            leftSection={<Bell size={16} aria-hidden />}
            disabled={fault !== null}
            loading={busy === 'on'}
            mih="var(--target)"
            onClick={() => change('on', {})}
          >
            Turn notifications on
          </Button>
        )}
        {isOn && <TestPush device={device} />}
        {isOn && (
          <Button variant="default" loading={busy === 'off'} mih="var(--target)" onClick={turnOff}>
            Turn notifications off
          </Button>
        )}
      </Group>
      {isOn && (
        <>
          <Checkbox
            label="Hide content on the lock screen"
            description="Notifications then show only the severity and the workspace."
            checked={push.hideContent}
            disabled={busy !== ''}
            onChange={(event) => change('hide', { hideContent: event.currentTarget.checked })}
          />
          <Workspaces
            device={device}
            disabled={busy !== ''}
            onChange={(workspaces) => change('workspaces', { workspaces })}
          />
        </>
      )}
    </Stack>
  );
}

type Chosen = NonNullable<Choice['workspaces']>;

function Workspaces({
  device,
  disabled,
  onChange,
}: {
  device: DeviceRecord;
  disabled: boolean;
  onChange: (chosen: Chosen) => void;
}) {
  const memberOf = useQuery(myWorkspaces()).data?.items ?? [];
  const chosen = device.push.workspaces.map((each) => ({ ...each, minSeverity: each.minSeverity ?? null }));
  const ofWorkspace = (workspace: WorkspaceRecord) => chosen.find((each) => each.workspaceId === workspace.id);
  const floorOf = (workspace: WorkspaceRecord) => {
    const found = ofWorkspace(workspace);
    return found === undefined ? 'none' : (found.minSeverity ?? 'all');
  };
  const choose = (workspace: WorkspaceRecord, floor: string) => {
    const others = chosen.filter((each) => each.workspaceId !== workspace.id);
    const entry = {
      ...ofWorkspace(workspace),
      workspaceId: workspace.id,
      minSeverity: floor === 'all' ? null : floor,
    };
    const next = floor === 'none' ? others : [...others, entry];
    if (next.length === 0) say('Choose at least one workspace, or turn notifications off.');
    else onChange(next);
  };
  const turn = (workspace: WorkspaceRecord, alerts: 'all' | 'on_call') =>
    onChange(chosen.map((each) => (each.workspaceId === workspace.id ? { ...each, alerts } : each)));
  return (
    <Stack gap="xs">
      {memberOf.map((workspace) => (
        <Stack key={workspace.id} gap={6}>
          <Select
            label={workspace.name}
            data={[
              { value: 'all', label: 'All incidents' },
              ...FLOORS.map((floor) => ({ value: floor, label: `${SEVERITY_WORD[floor]} and above` })),
              { value: 'none', label: 'Nothing' },
            ]}
            value={floorOf(workspace)}
            allowDeselect={false}
            disabled={disabled}
            onChange={(floor) => floor && choose(workspace, floor)}
          />
          {ofWorkspace(workspace) && (
            <Switch
              label={`Only while I am on call in ${workspace.name}`}
              description="Pages always come."
              checked={ofWorkspace(workspace)?.alerts === 'on_call'}
              disabled={disabled}
              onChange={(event) => turn(workspace, event.currentTarget.checked ? 'on_call' : 'all')}
            />
          )}
        </Stack>
      ))}
    </Stack>
  );
}
