import { Button, Text } from '@mantine/core';
import { Bell } from 'lucide-react';
import { pushFault } from '@/lib/device/push';
import { TestPush } from '@/parts/push/TestPush';
import { useThisDevice } from '@/parts/push/useThisDevice';
import { useTurnOn } from '@/parts/push/useTurnOn';
import { Step } from '@/screens/pair/Step';

const OFF = { push: { state: 'none' } } as Parameters<typeof useTurnOn>[0];

/** Turns notifications on: a paired phone is silent until then. A test shows that they arrive. */
export function NotificationStep({ number }: { number: number }) {
  const device = useThisDevice();
  const { busy, change } = useTurnOn(device ?? OFF);
  const fault = pushFault();
  const isOn = device?.push.state === 'active';
  return (
    <Step number={number} title="Notifications" isDone={isOn}>
      {isOn ? (
        <>
          <Text size="sm">This phone is notified of new incidents.</Text>
          <TestPush device={device} isPrimary />
        </>
      ) : (
        <>
          <Text size="sm">{fault ?? 'Until you turn them on, this phone stays silent.'}</Text>
          <Button
            leftSection={<Bell size={16} aria-hidden />}
            mih="var(--target)"
            disabled={fault !== null || device === undefined}
            loading={busy !== ''}
            onClick={() => change('on', {})}
          >
            Turn notifications on
          </Button>
        </>
      )}
    </Step>
  );
}
